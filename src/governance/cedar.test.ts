import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cedar, takeBackCedar, V8_FLAGS } from './cedar.js';

const LIBRARY = createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs');

/** V8 is made to undo the library's function while it waits for WebAssembly, which reads what it was given through a getter. */
const PROGRAM = `
  for (const flag of ${JSON.stringify(V8_FLAGS)}) require('node:v8').setFlagsFromString(flag);
  const cedar = require(${JSON.stringify(LIBRARY)});
  let undo = false;
  const policies = {
    get staticPolicies() {
      if (undo) %DeoptimizeFunction(cedar.checkParsePolicySet);
      return { all: 'permit(principal, action, resource);' };
    },
  };
  %PrepareFunctionForOptimization(cedar.checkParsePolicySet);
  for (let count = 0; count < 3; count++) cedar.checkParsePolicySet(policies);
  %OptimizeFunctionOnNextCall(cedar.checkParsePolicySet);
  cedar.checkParsePolicySet(policies);
  undo = true;
  console.log(cedar.checkParsePolicySet(policies).type);
`;

test('a function of the library that V8 gives up in the midst of a call does not end the process', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--allow-natives-syntax', '-e', PROGRAM]);
  expect(stdout).toBe('success\n');
});

test('the library is collected once it was taken back, and loaded again for the next policy', async () => {
  const held = new WeakRef(cedar());
  // What a reference was made to or read from stays until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  takeBackCedar(0);
  expect(held.deref()).toBeUndefined();
  expect(cedar().checkParsePolicySet({ staticPolicies: 'permit(principal, action, resource);' }).type).toBe(
    'success',
  );
});

test('where much else is in memory it is given up, and collecting it is left to V8', async () => {
  const held = new WeakRef(cedar());
  await new Promise((resolve) => setImmediate(resolve));
  takeBackCedar(200 * 1024 * 1024);
  expect(held.deref()).toBeDefined();
  expect(cedar()).not.toBe(held.deref());
});
