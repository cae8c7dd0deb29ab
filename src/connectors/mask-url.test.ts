import { expect, test } from 'vitest';
import { generatedParts, maskUrl } from './mask-url.js';

test.each([
  ['https://a.example/mcp', 'https://a.example/mcp'],
  ['https://a.example', 'https://a.example'],
  ['https://a.example/mcp?key=secret&b=', 'https://a.example/mcp?key=***&b=***'],
  ['https://a.example/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp', 'https://a.example/s/***/mcp'],
  ['https://a.example/s/MzQ1Njc4OTAtYWJjZGVmMTIz==/mcp', 'https://a.example/s/***/mcp'],
  ['https://a.example/s/MzQ1Njc4OTAtYWJjZGVmMTI%3D/mcp', 'https://a.example/s/***/mcp'],
  ['https://a.example/eyJhbGciOiJub25lIn0.eyJzdWIiOjF9.c2ln/mcp', 'https://a.example/***/mcp'],
  ['https://a.example/550e8400-e29b-41d4-a716-446655440000', 'https://a.example/***'],
  [
    'https://a.example/a-rather-long-name-of-a-thing/mcp',
    'https://a.example/a-rather-long-name-of-a-thing/mcp',
  ],
  ['https://a.example/mcp?MzQ1Njc4OTAtYWJjZGVm1234', 'https://a.example/mcp?***=***'],
  ['http://127.0.0.1:8005/mcp', 'http://127.0.0.1:8005/mcp'],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});

test.each([
  ['https://a.example/mcp?region=europe-west', [], []],
  ['https://a.example', [], []],
  ['https://a.example/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp', ['MzQ1Njc4OTAtYWJjZGVm1234'], []],
  ['https://a.example/mcp?a=b&k=MzQ1Njc4OTAtYWJjZGVmMTI%3D', [], ['MzQ1Njc4OTAtYWJjZGVmMTI%3D']],
  ['https://a.example/mcp?MzQ1Njc4OTAtYWJjZGVm1234', [], ['MzQ1Njc4OTAtYWJjZGVm1234']],
])('of %s the path has %j and the query %j', (url, path, query) => {
  expect(generatedParts(new URL(url))).toEqual({ path, query });
});
