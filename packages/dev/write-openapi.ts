import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildOpenApiDocument } from '../../src/api/openapi/document.ts'
import { listOfflineRoutes } from '../../src/offline-routes.ts'

/**
 * `npm run openapi`: writes `openapi.json` in the root of the repository as `/openapi.json` serves it, so that a change
 * of the API is seen in a review.
 */

const document = buildOpenApiDocument(await listOfflineRoutes())
await writeFile(join(import.meta.dirname, '../../openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
