import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Builds `dist/`, ES modules and CommonJS with types for both; the argument names another folder for it. */

const folder = process.argv[2] ?? join(import.meta.dirname, 'dist')
// The compiler of the repository, which compiles in a second what this package's own takes ten for.
const root = createRequire(join(import.meta.dirname, '../../package.json'))
const compiler = join(dirname(root.resolve('typescript/package.json')), 'bin/tsc')

rmSync(folder, { recursive: true, force: true })
for (const [config, format] of [
  ['tsconfig.json', 'esm'],
  ['tsconfig.cjs.json', 'cjs'],
] as const)
  execFileSync(
    process.execPath,
    [compiler, '-p', join(import.meta.dirname, config), '--outDir', join(folder, format)],
    { stdio: 'inherit' },
  )
writeFileSync(join(folder, 'cjs/package.json'), '{ "type": "commonjs" }\n')
