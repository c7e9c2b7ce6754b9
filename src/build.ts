import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundlePathOf, bundleWorkflows } from './workflows/bundle/bundle.ts'

/** Completes `dist` after the compiler (`npm run build`): copies its assets and bundles the workflows ahead. */
const [source, output] = ['src', 'dist'].map(folder => join(import.meta.dirname, '..', folder))
cpSync(source!, output!, { recursive: true, filter: path => !path.endsWith('.ts') })
for (const kind of ['plain', 'traced'] as const)
  writeFileSync(bundlePathOf(kind), await bundleWorkflows(kind))
