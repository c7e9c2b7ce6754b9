import { join } from 'node:path'
import type { ApiDependencies } from '../../api/app.ts'
import type { ApiRouter } from '../../api/http/route.ts'
import { type AssetUrls, SHARED_ASSETS, serveAssets } from '../../views/assets.ts'
import { createViewRenderer, type ViewRenderer } from '../../views/view-renderer.ts'

/** What all dashboard pages share. */
export type DashboardContext = ApiDependencies & {
  router: ApiRouter
  views: ViewRenderer
  assets: AssetUrls
  /** Whether browsers connect by HTTPS. */
  isSecure: boolean
}

/** Creates the dependencies that all dashboard pages share; called once per process. */
export function createDashboardContext(router: ApiRouter, dependencies: ApiDependencies): DashboardContext {
  return {
    ...dependencies,
    router,
    views: createViewRenderer('dashboard/views'),
    assets: serveAssets(router.koa, '/dashboard/assets', {
      ...SHARED_ASSETS,
      'htmx.js': 'htmx.org/dist/htmx.min.js',
      'dashboard.js': join(import.meta.dirname, '../assets/dashboard.js'),
    }),
    isSecure: dependencies.config.publicUrl.startsWith('https:'),
  }
}
