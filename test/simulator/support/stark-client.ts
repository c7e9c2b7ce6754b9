import { generateKeyPairSync, sign } from 'node:crypto'
import { Agent, fetch } from 'undici'
import type { SimulatorResponse } from './efi-client.ts'
import { SHOP, type SimulatorFixture } from './simulator-fixture.ts'

/** A key pair of the curve secp256k1, both PEM. */
export function generateStarkKeys(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'secp256k1',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
}

export const STARK_PROJECT = '5656565656565656'
export const STARK_KEYS = generateStarkKeys()

/** The account of most tests of Stark's API; `balance` in reais. */
export function putStarkShop(control: SimulatorFixture['control'], changes: object = {}) {
  return control.putAccount('shop', {
    ...SHOP,
    dialect: 'stark',
    client_id: STARK_PROJECT,
    client_secret: STARK_KEYS.publicKey,
    keys: [...SHOP.keys],
    balance: 10_000,
    ...changes,
  })
}

type Signature = { accessId?: string; privateKey?: string; time?: number; signedBody?: string }

/** A client of Stark's API for one account, written by hand. */
export function createStarkClient(baseUrl: string, ca: string) {
  const dispatcher = new Agent({ connect: { ca } })
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    signature: Signature = {},
  ): Promise<SimulatorResponse> => {
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
    const { accessId = `project/${STARK_PROJECT}`, privateKey = STARK_KEYS.privateKey } = signature
    const { time = Math.round(Date.now() / 1000), signedBody = text } = signature
    const answer = await fetch(`${baseUrl}/v2${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'Access-Id': accessId,
        'Access-Time': String(time),
        'Access-Signature': sign(
          'sha256',
          Buffer.from(`${accessId}:${time}:${signedBody}`),
          privateKey,
        ).toString('base64'),
      },
      dispatcher,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: text }),
    })
    const answered = await answer.text()
    const isJson = /^\s*[{[]/.test(answered)
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: isJson ? JSON.parse(answered) : answered,
    }
  }
  const get = (path: string) => call('GET', path)
  const post = (path: string, body: unknown) => call('POST', path, body)

  return {
    call,
    get,
    post,
    patch: (path: string, body: unknown) => call('PATCH', path, body),
    delete: (path: string) => call('DELETE', path),
    /** Creates a dynamic code of an amount in centavos. */
    createBrcode: async (amount = 1234, more: object = {}) =>
      (await post('/dynamic-brcode', { brcodes: [{ amount, tags: ['Order1'], ...more }] })).body.brcodes[0],
    createInvoice: async (amount = 1234, more: object = {}) => {
      const invoice = {
        amount,
        taxId: '123.456.789-09',
        name: 'Pagador de Teste',
        tags: ['invoice1'],
        ...more,
      }
      return (await post('/invoice', { invoices: [invoice] })).body.invoices[0]
    },
    /** Finds the only deposit of a dynamic code. */
    findDeposit: async ({ uuid }: { uuid: string }) =>
      (await get(`/deposit?tags=dynamic-brcode/${uuid}`)).body.deposits[0],
    verifyKey: async (keyId = 'maria@example.com', taxId = '529.982.247-25') =>
      (await post('/verified-account', { accounts: [{ keyId, taxId }] })).body.accounts[0],
    send: (accountId: string, more: object = {}) =>
      post('/verified-transfer', { transfers: [{ accountId, amount: 1000, ...more }] }),
    close: () => dispatcher.destroy(),
  }
}
export type StarkClient = ReturnType<typeof createStarkClient>
