import { Agent, fetch } from 'undici'

// biome-ignore lint/suspicious/noExplicitAny: stories look at answers as they come, whatever their shape.
export type SimulatorResponse = { status: number; body: any; headers: Record<string, string> }
export type EfiClient = ReturnType<typeof createEfiClient>

type Credentials = {
  ca: string
  client_id: string
  client_secret: string
  certificate?: { certificate: string; key: string }
}

/** A client of Efí's API for one account, written by hand. */
export function createEfiClient(baseUrl: string, { ca, client_id, client_secret, certificate }: Credentials) {
  const identity = certificate ? { cert: certificate.certificate, key: certificate.key } : {}
  const dispatcher = new Agent({ connect: { ca, ...identity } })
  let token = ''

  const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      dispatcher,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    return { status: answer.status, text, headers: Object.fromEntries(answer.headers) }
  }
  const authorize = async (credentials = `${client_id}:${client_secret}`): Promise<SimulatorResponse> => {
    const basic = `Basic ${Buffer.from(credentials).toString('base64')}`
    const { text, ...said } = await send(
      'POST',
      '/oauth/token',
      { authorization: basic },
      '{"grant_type":"client_credentials"}',
    )
    const body = JSON.parse(text)
    if (said.status === 200) token = body.access_token
    return { ...said, body }
  }
  const raw = async (method: string, path: string, body?: unknown) => {
    if (token === '') await authorize()
    return await send(
      method,
      path,
      { authorization: `Bearer ${token}` },
      body === undefined ? undefined : JSON.stringify(body),
    )
  }
  const call = async (method: string, path: string, body?: unknown): Promise<SimulatorResponse> => {
    const { text, ...said } = await raw(method, path, body)
    return { ...said, body: text === '' ? null : JSON.parse(text) }
  }

  return {
    authorize,
    /** The answer's text, unparsed. */
    raw,
    call,
    get: (path: string) => call('GET', path),
    put: (path: string, body?: unknown) => call('PUT', path, body),
    /** An immediate charge of this amount, to the account's key. */
    createCob: (txid: string, value = '12.34', more: object = {}) =>
      call('PUT', `/v2/cob/${txid}`, {
        calendario: { expiracao: 3600 },
        valor: { original: value },
        chave: 'loja@trilho.test',
        ...more,
      }),
    /** A transfer of this amount to a key. */
    send: (id: string, recipient: string | object, value = '10.00') =>
      call('PUT', `/v3/gn/pix/${id}`, {
        valor: value,
        pagador: { chave: 'loja@trilho.test' },
        favorecido: typeof recipient === 'string' ? { chave: recipient } : recipient,
      }),
    findSent: (id: string) => call('GET', `/v2/gn/pix/enviados/id-envio/${id}`),
    close: () => dispatcher.destroy(),
  }
}
