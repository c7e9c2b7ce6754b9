import { Agent, fetch } from 'undici'
import type { OpenContract } from '../../support/openapi-contract.ts'
import type { SimulatorResponse } from './efi-client.ts'

/**
 * Which part of a bank's API a published document describes: paths below `prefix`, without it. `defects`: violations of responses
 * that are faults of the document; with them, requests are not validated, because they have the bank's own parameters.
 */
export type DescribedPart = { prefix: string; contract: OpenContract; defects?: RegExp }

type BankOptions = {
  ca: string
  certificate?: { certificate: string; key: string }
  tokenPath: string
  /** The form of the request for a token. */
  credentials: Record<string, string>
  headers?: Record<string, string>
  described: DescribedPart[]
}

export type BankClient = ReturnType<typeof createBankClient>

/**
 * A client of a bank's API whose tokens are bound to its certificate, written by hand. Each response is validated by the documents
 * that describe its path, and so is each request that the bank accepts: `violations` lists what is wrong, `undescribed` the statuses
 * that no document lists.
 */
export function createBankClient(baseUrl: string, options: BankOptions) {
  const { ca, certificate, tokenPath, credentials, headers: ownHeaders = {}, described } = options
  const identity = certificate ? { cert: certificate.certificate, key: certificate.key } : {}
  const dispatcher = new Agent({ connect: { ca, ...identity } })
  const violations: string[] = []
  const undescribed = new Set<string>()
  let token = ''

  const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { ...ownHeaders, ...headers },
      dispatcher,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    return { status: answer.status, text, headers: Object.fromEntries(answer.headers) }
  }
  const validate = (method: string, url: string, body: unknown, response: SimulatorResponse) => {
    const [path = '', query = ''] = url.split('?')
    for (const { prefix, contract, defects } of described) {
      if (!path.startsWith(prefix)) continue
      const operation = { method, path: path.slice(prefix.length) }
      const answer = { ...operation, status: response.status, body: response.body ?? undefined }
      for (const violation of contract.validateResponse(answer)) {
        if (violation.includes('is not described')) undescribed.add(`${method} ${response.status}`)
        else if (!defects?.test(violation))
          violations.push(`${method} ${url} → ${response.status}: ${violation}`)
      }
      if (response.status < 300 && !defects)
        for (const violation of contract.validateRequest({ ...operation, query, body }))
          violations.push(`accepted ${method} ${url}: ${violation}`)
    }
  }
  const authorize = async (form: Record<string, string> = credentials): Promise<SimulatorResponse> => {
    const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }
    const said = await send('POST', tokenPath, urlEncoded, new URLSearchParams(form).toString())
    const body = said.text === '' ? null : JSON.parse(said.text)
    if (said.status === 200) token = body.access_token
    return { ...said, body }
  }
  const raw = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    if (token === '') await authorize()
    return await send(
      method,
      path,
      { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body === undefined ? undefined : JSON.stringify(body),
    )
  }
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<SimulatorResponse> => {
    const { text, ...said } = await raw(method, path, body, headers)
    const response = { ...said, body: text === '' ? null : JSON.parse(text) }
    validate(method, path, body, response)
    return response
  }

  return {
    authorize,
    /** Uses another token from now on. */
    useToken: (other: string) => {
      token = other
    },
    get token() {
      return token
    },
    /** The answer's text, unparsed and not validated. */
    raw,
    call,
    get: (path: string) => call('GET', path),
    put: (path: string, body?: unknown) => call('PUT', path, body),
    post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      call('POST', path, body, headers),
    patch: (path: string, body?: unknown) => call('PATCH', path, body),
    delete: (path: string) => call('DELETE', path),
    violations,
    undescribed,
    close: () => dispatcher.destroy(),
  }
}
