import { join } from 'node:path'
import type Router from '@koa/router'
import type { Logger } from 'pino'
import type { CodeReader } from '../../code-reader/reader.ts'
import type { Config } from '../../config.ts'
import type { Orm } from '../../db/client/orm.ts'
import type { Semaphore } from '../../domain/shared/semaphore.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { FileStorage } from '../../storage/storage.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import { type AssetUrls, SHARED_ASSETS, serveAssets } from '../../views/assets.ts'
import { createViewRenderer, type ViewRenderer } from '../../views/view-renderer.ts'

/** Dependencies that the server builds once per process. */
export type DashboardDependencies = {
  orm: Orm
  temporal: TemporalContext
  config: Config
  log: Logger
  sealer: Sealer
  storage: FileStorage
  codeReader: CodeReader
  providers?: ProviderRegistry
}

/** Router of the server, which the pages are added to, and its limit of concurrent uploads. */
export type ServerRouter = { koa: Router; formSemaphore: Semaphore }

/** What all dashboard pages share. */
export type DashboardContext = DashboardDependencies & {
  router: ServerRouter
  views: ViewRenderer
  assets: AssetUrls
  /** Whether browsers connect by HTTPS. */
  isSecure: boolean
}

/** Creates the dependencies that all dashboard pages share; called once per process. */
export function createDashboardContext(
  router: ServerRouter,
  dependencies: DashboardDependencies,
): DashboardContext {
  const assets = serveAssets(router.koa, ASSETS_PATH, {
    ...SHARED_ASSETS,
    'htmx.js': 'htmx.org/dist/htmx.min.js',
    'dashboard.js': join(import.meta.dirname, '../assets/dashboard.js'),
  })
  return {
    ...dependencies,
    router,
    views: createViewRenderer(join(import.meta.dirname, '../views')),
    assets: {
      ...assets,
      ...serveAssets(router.koa, ASSETS_PATH, { 'app.webmanifest': buildManifest(assets) }),
    },
    isSecure: dependencies.config.publicUrl.startsWith('https:'),
  }
}

const ASSETS_PATH = '/dashboard/assets'

/** Builds the manifest by which a phone installs the dashboard: its icon opens the form of a charge. */
function buildManifest(assets: AssetUrls): Buffer {
  const manifest = {
    name: 'Trilho',
    start_url: '/dashboard/charges/new',
    scope: '/dashboard',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: '#00796b',
    icons: [
      { src: assets['icon.png'], sizes: '512x512', type: 'image/png' },
      { src: assets['rail.svg'], sizes: 'any', type: 'image/svg+xml' },
    ],
  }
  return Buffer.from(JSON.stringify(manifest))
}
