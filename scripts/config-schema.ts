import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configJsonSchema } from '../src/app/index.js';
import { ROOT } from './repository.js';
import { runTool } from './run-program.js';

/** Writes the schema of the configuration file for editors. */
const PATH = 'crosspoint.schema.json';

writeFileSync(join(ROOT, PATH), JSON.stringify(configJsonSchema()));
const { exitCode, output } = await runTool('oxfmt', [PATH]);
if (exitCode !== 0) throw new Error(output);
