import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Builds `dist/`, CommonJS as n8n loads it; the argument names another folder for it. */

const folder = process.argv[2] ?? join(import.meta.dirname, 'dist')
const root = createRequire(join(import.meta.dirname, '../../package.json'))
const compiler = join(dirname(root.resolve('typescript/package.json')), 'bin/tsc')

rmSync(folder, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [compiler, '-p', join(import.meta.dirname, 'tsconfig.json'), '--outDir', folder],
  { stdio: 'inherit' },
)
writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
