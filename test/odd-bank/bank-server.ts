import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import { createSelfSignedCertificate } from '../providers/support/certificate.ts'
import type { BankCall, BankNotification, BankReply, BankRequest } from './bank-api.ts'
import { type BookedEvent, type Books, openBooks } from './books.ts'
import { EFI_CALLS, notifyAsEfi } from './efi-bank.ts'
import type { Oddity } from './oddities.ts'
import { notifyAsWoovi, WOOVI_CALLS } from './woovi-bank.ts'

/**
 * A bank over HTTPS, whose accounts are identified by their credentials. It answers as published, except where an
 * oddity is armed for an operation of an account: that many answers are odd.
 */

export type BankApiName = 'efi' | 'woovi'
export type OddBank = Awaited<ReturnType<typeof startOddBank>>
export type BankAccount = ReturnType<OddBank['openAccount']>

type ArmedOddity = { operation: string; oddity: Oddity; left: number }
type Account = {
  id: string
  secret: string
  noticeSecret: string
  books: Books
  notificationUrl: string | null
  armed: ArmedOddity[]
  /** How many answers differed from the published one. */
  oddAnswers: number
}

const CALLS: Record<BankApiName, readonly BankCall<string>[]> = { efi: EFI_CALLS, woovi: WOOVI_CALLS }

type Certificate = Awaited<ReturnType<typeof createSelfSignedCertificate>>

/** `certificate`: that of the bank, for customers who trust another authority than itself. */
export async function startOddBank(api: BankApiName, certificate?: Certificate) {
  const server = certificate ?? (await createSelfSignedCertificate())
  const client = await createSelfSignedCertificate('client')
  const accounts = new Map<string, Account>()
  const tokens = new Map<string, Account>()
  const https = createServer(
    {
      cert: server.certificate,
      key: server.key,
      keepAliveTimeout: 60_000,
      requestCert: api === 'efi',
      rejectUnauthorized: false,
      ca: client.certificate,
    },
    (request, response) => void answer(request, response).catch(() => request.socket.destroy()),
  )
  https.on('tlsClientError', () => undefined)
  await new Promise<void>(resolve => https.listen(0, '127.0.0.1', resolve))
  const url = `https://localhost:${(https.address() as AddressInfo).port}`

  async function answer(incoming: IncomingMessage, response: ServerResponse) {
    const request = await readRequest(incoming)
    const account = authenticate(incoming)
    if (typeof account !== 'object') return send(deny(account), incoming, response)
    const found = findCall(request)
    if (!found) return send({ status: 404, json: { nome: 'nao_encontrado' } }, incoming, response)
    const { operation } = found.call
    const carryOut = () => found.call.answer(account.books, request, found.parts)
    const armed = account.armed.find(one => one.operation === operation && one.left > 0)
    const honest = !armed || armed.oddity.isCarriedOut ? carryOut() : undefined
    if (operation === 'token' && honest) rememberToken(honest, account)
    if (!armed) return send(honest!, incoming, response)
    const { oddity } = armed
    const reply = oddity.answer(oddity.isRepeated ? carryOut() : honest)
    // An honest answer that lacks what the oddity changes, such as a row, leaves it armed.
    if (oddity.isRepeated || !isDeepStrictEqual(reply, honest)) {
      armed.left -= 1
      account.oddAnswers += 1
    }
    send(reply, incoming, response)
  }

  function authenticate({
    headers,
    socket,
    url: path,
  }: IncomingMessage): Account | 'certificate' | 'credentials' {
    const authorization = headers.authorization ?? ''
    if (api === 'woovi') return accounts.get(authorization) ?? 'credentials'
    if (!(socket as TLSSocket).authorized) return 'certificate'
    if (path !== '/oauth/token') return tokens.get(authorization.replace(/^Bearer /, '')) ?? 'credentials'
    const [id, secret] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':')
    const account = accounts.get(id ?? '')
    return account?.secret === secret ? account! : 'credentials'
  }

  /** A refused access token, or an AppID that does not exist. */
  function deny(what: 'certificate' | 'credentials'): BankReply {
    if (api === 'woovi') return { status: 401, json: { data: null, errors: [{ message: 'appID inválido' }] } }
    return { status: 401, json: { error: what === 'certificate' ? 'invalid_client' : 'invalid_token' } }
  }

  function rememberToken(reply: BankReply, account: Account) {
    if (typeof reply === 'object') tokens.set(Object(reply.json).access_token, account)
  }

  function findCall({ method, path, query }: BankRequest) {
    for (const call of CALLS[api]) {
      if (call.method !== method || (call.parameter && !query.has(call.parameter))) continue
      const match = call.path.exec(path)
      if (match) return { call, parts: match.slice(1) }
    }
  }

  return {
    api,
    url,
    ca: server.certificate,
    /** What a customer needs besides the credentials of its account. */
    clientCertificate: client,
    openAccount({ openingCents, key = randomUUID() }: { openingCents: number; key?: string }) {
      const account: Account = {
        id: randomUUID(),
        secret: randomUUID(),
        noticeSecret: randomUUID(),
        books: openBooks({ openingCents, key }),
        notificationUrl: null,
        armed: [],
        oddAnswers: 0,
      }
      accounts.set(account.id, account)
      account.books.onEvent(event => void notify(api, account, event))
      const { id, secret, noticeSecret, books } = account
      const credentials =
        api === 'efi'
          ? {
              client_id: id,
              client_secret: secret,
              notification_secret: noticeSecret,
              certificate: client.certificate,
              private_key: client.key,
            }
          : { app_id: id, webhook_secret: noticeSecret }
      return {
        id,
        api,
        books,
        credentials,
        /** Arms an oddity for the next answers to an operation that it can change. */
        arm(operation: string, oddity: Oddity, times: number) {
          account.armed.push({ operation, oddity, left: times })
          // A customer that has a token would request none for an hour.
          if (operation === 'token')
            for (const [token, owner] of tokens) if (owner === account) tokens.delete(token)
        },
        /** From now on the bank is honest. */
        disarm() {
          for (const armed of account.armed) armed.left = 0
        },
        countOddAnswers: () => account.oddAnswers,
        wasArmed: () => account.armed.length > 0,
        sendNotificationsTo(notificationUrl: string | null) {
          account.notificationUrl = notificationUrl
        },
      }
    },
    async close() {
      const closed = new Promise(resolve => https.close(resolve))
      https.closeAllConnections()
      await closed
    },
  }
}

async function readRequest(incoming: IncomingMessage): Promise<BankRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'https://bank')
  const isJson = text.startsWith('{')
  return {
    method: incoming.method ?? '',
    path: decodeURIComponent(path),
    query,
    body: isJson ? JSON.parse(text) : null,
  }
}

function send(reply: BankReply, request: IncomingMessage, response: ServerResponse) {
  if (reply === 'hang') return
  if (reply === 'reset') return void request.socket.destroy()
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  response.end(reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)))
}

/** Notifies once; what does not arrive is lost. */
async function notify(api: BankApiName, account: Account, event: BookedEvent) {
  const { notificationUrl, books, noticeSecret } = account
  if (!notificationUrl) return
  const { path, body, headers }: BankNotification =
    api === 'efi' ? notifyAsEfi(books, event) : notifyAsWoovi(books, event, noticeSecret)
  const target = api === 'efi' ? `${notificationUrl}/${noticeSecret}${path}` : notificationUrl
  await fetch(target, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  }).catch(() => undefined)
}
