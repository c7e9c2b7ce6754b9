import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Router from '@koa/router'
import { writeDocumentation } from './api/docs/documentation-files.ts'
import { renderDocumentation } from './api/docs/render-documentation.ts'
import { serveDocumentationAssets } from './api/docs/routes.ts'
import { listOfflineRoutes } from './offline-routes.ts'
import { bundlePathOf, bundleWorkflows } from './workflows/bundle/bundle.ts'

/** Completes `dist` after the compiler (`npm run build`): copies its assets, and makes workflow bundles and documentation ahead. */
const [source, output] = ['src', 'dist'].map(folder => join(import.meta.dirname, '..', folder))
cpSync(source!, output!, { recursive: true, filter: path => !path.endsWith('.ts') })
for (const kind of ['plain', 'traced'] as const)
  writeFileSync(bundlePathOf(kind), await bundleWorkflows(kind))
const assets = serveDocumentationAssets({ koa: new Router() })
writeDocumentation(renderDocumentation({ routes: await listOfflineRoutes(), assets }))
