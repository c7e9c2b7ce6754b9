import type { ApiDependencies } from '../../api/app.ts'
import type { ApiRouter } from '../../api/http/route.ts'
import { type Asset, loadAssets } from './assets.ts'
import { createViewRenderer, type ViewRenderer } from './view-renderer.ts'

/** What all dashboard pages share. */
export type DashboardContext = ApiDependencies & {
  router: ApiRouter
  views: ViewRenderer
  assets: Asset[]
  /** Whether browsers connect by HTTPS. */
  isSecure: boolean
}

/** Creates the dependencies that all dashboard pages share; called once per process. */
export function createDashboardContext(router: ApiRouter, dependencies: ApiDependencies): DashboardContext {
  return {
    ...dependencies,
    router,
    views: createViewRenderer(),
    assets: loadAssets(),
    isSecure: dependencies.config.publicUrl.startsWith('https:'),
  }
}
