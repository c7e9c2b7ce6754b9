import type { EntityManager } from '../../db/client/orm.ts'
import { fail } from '../../http/api-error.ts'
import { renderQrPng, renderQrSvg } from '../../views/qr-code.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { type ApiRouter, registerRoute } from './route.ts'

/** A resource whose code is drawn. `operationId`: without the name of the picture, `getPaymentQr`. */
type QrPictureSource = {
  operationId: string
  summary: string
  description: string
  /** Reads the code, or fails with 404; the answer is 404 too where there is none yet. */
  readPayload(em: EntityManager, token: CallerToken, uuid: string): Promise<string | null | undefined>
}

/** Registers the routes that draw the code of a resource, at its own path with `/qr.svg` and `/qr.png`. */
export function registerQrPictures(
  router: ApiRouter,
  path: string,
  { operationId, summary, description, readPayload }: QrPictureSource,
): void {
  for (const [name, operation, mediaType, render] of QR_PICTURES)
    registerRoute(router, 'get', `${path}/:uuid/qr.${name}`, {
      operationId: operationId + operation,
      scope: 'charges',
      summary: `${summary} (${name.toUpperCase()})`,
      description,
      responses: { 200: mediaType },
      isImmutable: true,
      handle: async ({ em, token, params }) => ({
        body: render((await readPayload(em, token, params.uuid)) || fail('not_found')),
      }),
    })
}

const QR_PICTURES = [
  ['svg', 'Svg', 'image/svg+xml', renderQrSvg],
  ['png', 'Png', 'image/png', renderQrPng],
] as const
