import { Agent, fetch } from 'undici'
import type { SimulatorResponse } from './efi-client.ts'

export type WooviClient = ReturnType<typeof createWooviClient>

type Credentials = { ca: string; client_id: string; client_secret: string }

/** A client of Woovi's API for one account, written by hand. */
export function createWooviClient(baseUrl: string, { ca, client_id, client_secret }: Credentials) {
  const dispatcher = new Agent({ connect: { ca } })
  const appId = Buffer.from(`${client_id}:${client_secret}`).toString('base64')

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
    return { status: answer.status, headers, body: text === '' ? null : JSON.parse(text) }
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
