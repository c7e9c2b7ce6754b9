import { Agent, fetch } from 'undici'
import type { SimulatorClient } from '../../../packages/simulator/control/client.ts'
import {
  findWooviNotificationViolations,
  findWooviRequestViolations,
  findWooviResponseViolations,
} from '../../support/woovi-contract.ts'
import type { SimulatorResponse } from './efi-client.ts'

export type WooviClient = ReturnType<typeof createWooviClient>

/** What is wrong in the calls of all clients of this test file, of the statuses that the document lists, and in notifications that were read. */
export const wooviViolations: string[] = []

type Credentials = { ca: string; client_id: string; client_secret: string }

/**
 * A client of Woovi's API for one account, written by hand. Each response is validated by Woovi's published document, and so is each
 * request that the simulator accepts, in `wooviViolations`.
 */
export function createWooviClient(baseUrl: string, { ca, client_id, client_secret }: Credentials) {
  const dispatcher = new Agent({ connect: { ca } })
  const appId = Buffer.from(`${client_id}:${client_secret}`).toString('base64')

  const validate = (method: string, url: string, body: unknown, response: SimulatorResponse) => {
    const [path = '', query = ''] = `/api/v1${url}`.split('?')
    const answer = { method, path, status: response.status, body: response.body ?? undefined }
    const found = findWooviResponseViolations(answer).filter(one => !one.includes('is not described'))
    const accepted = response.status < 300 ? findWooviRequestViolations({ method, path, query, body }) : []
    wooviViolations.push(...found, ...accepted)
  }
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    authorization = appId,
  ): Promise<SimulatorResponse> => {
    const answer = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization },
      dispatcher,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const headers = Object.fromEntries(answer.headers)
    const response = { status: answer.status, headers, body: text === '' ? null : JSON.parse(text) }
    validate(method, path, body, response)
    return response
  }

  return {
    call,
    get: (path: string) => call('GET', path),
    post: (path: string, body: unknown) => call('POST', path, body),
    delete: (path: string) => call('DELETE', path),
    createCharge: (correlationID: string, value = 1234) =>
      call('POST', '/charge', { correlationID, value, expiresIn: 3600, comment: 'Pedido 7' }),
    /** Creates a payment, which waits unless `more` approves it too. */
    orderPayment: (correlationID: string, destinationAlias = 'maria@example.com', more: object = {}) =>
      call('POST', '/payment', {
        type: 'PIX_KEY',
        correlationID,
        destinationAlias,
        destinationAliasType: 'EMAIL',
        value: 1000,
        ...more,
      }),
    approvePayment: (correlationID: string) => call('POST', '/payment/approve', { correlationID }),
    createWebhook: (event: string, url: string, more: object = {}) =>
      call('POST', '/webhook', { webhook: { name: event, event, url, isActive: true, ...more } }),
    close: () => dispatcher.destroy(),
  }
}

/** Reads the notifications of an inbox, oldest first; each is validated by Woovi's published document, in `wooviViolations`. */
export async function readWooviNotifications(control: Pick<SimulatorClient, 'listInbox'>, inbox: string) {
  const messages = await control.listInbox(inbox)
  return messages.map(({ headers, body }) => {
    const notification = JSON.parse(body)
    wooviViolations.push(...findWooviNotificationViolations(notification))
    return { headers, body, notification }
  })
}
