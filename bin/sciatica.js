#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '../dist/main.js');
if (existsSync(main)) require(main);
else {
  process.stderr.write('sciatica: this clone is not built yet. In its folder, run: npm ci\n');
  process.exitCode = 1;
}
