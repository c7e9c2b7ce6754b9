import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { ActivityDependencies } from '../../src/activities/runtime/dependencies.ts'
import { sendPasswordReset } from '../../src/activities/users/password-resets.ts'
import { addUser, disableUser } from '../../src/admin/users.ts'
import { PasswordReset } from '../../src/db/entities/password-reset.ts'
import { createMessengers } from '../../src/messaging/messengers.ts'
import { hashResetToken } from '../../src/security/tokens.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { type MailServer, mailBodyOf, startMailServer } from './support/mail-server.ts'

/** The link of a forgotten password on its way to the mailbox: the real database, and a real SMTP server. */

const PAGE = 'https://trilho.example/dashboard/password-reset'
const EMAIL = 'maria@example.com'
let fixture: ApiFixture
let mail: MailServer
beforeAll(async () => {
  fixture = await openApiFixture([])
  const accountUuid = await fixture.insertAccount()
  await addUser(fixture.orm.em.fork(), { email: EMAIL, password: 'a long enough password', accountUuid })
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  mail = await startMailServer()
})
afterEach(() => mail.close())

function sender({ outbox = false } = {}) {
  const smtp = outbox ? null : { url: mail.url, from: 'pix@padaria.example' }
  const messengers = createMessengers({ smtp, sms: null, outbox })
  return sendPasswordReset({ ...fixture.dependencies, messengers } as unknown as ActivityDependencies)
}
function requestOf(email: string, language: 'pt-BR' | 'en' = 'pt-BR') {
  const details = fixture.dependencies.sealer.seal({ email, pageUrl: PAGE, language })
  return { uuid: randomUUID(), details, timeScale: 1 }
}
const rowOf = (uuid: string) => fixture.orm.em.fork().findOne(PasswordReset, uuid)

test.each([
  ['pt-BR', 'Foi pedida uma nova senha'],
  ['en', 'A new password was requested'],
] as const)('arrives once, in %s, and is stored by its hash', async (language, text) => {
  const [send, request] = [sender(), requestOf(EMAIL, language)]
  expect(await send(request)).toEqual({ kind: 'closed', outcome: 'sent' })
  expect(await send(request)).toEqual({ kind: 'closed', outcome: 'sent' })
  expect(mail.letters.map(({ to }) => to)).toEqual([[EMAIL]])
  const body = mailBodyOf(mail.letters[0]!)
  expect(body).toContain(text)
  const token = /password-reset\/([\w-]{32})/.exec(body.replaceAll(/=\r?\n/g, ''))![1]!
  const row = (await rowOf(request.uuid))!
  expect([row.sealedMessage, hashResetToken(token).equals(row.tokenHash)]).toEqual([null, true])
  expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(30 * 60_000)
  expect(JSON.stringify(row)).not.toContain(token)
})

test('is sent to no address without a user who may sign in', async () => {
  const accountUuid = await fixture.insertAccount()
  const disabled = 'gone@example.com'
  await addUser(fixture.orm.em.fork(), { email: disabled, password: 'a long enough password', accountUuid })
  await disableUser(fixture.orm.em.fork(), disabled)
  for (const email of ['unknown@example.com', disabled]) {
    const request = requestOf(email)
    expect(await sender()(request)).toEqual({ kind: 'closed', outcome: 'no_user' })
    expect(await rowOf(request.uuid)).toBeNull()
  }
  expect(mail.letters).toEqual([])
})

test('keeps its token while the messaging service is away, and is not sent after its time', async () => {
  const request = requestOf(EMAIL)
  await mail.close()
  const send = sender()
  expect(await send(request)).toMatchObject({ kind: 'again' })
  const first = (await rowOf(request.uuid))!
  await send(request)
  expect((await rowOf(request.uuid))!.tokenHash).toEqual(first.tokenHash)
  await fixture.orm.em
    .fork()
    .execute(`update password_reset set expires_at = now() where uuid = ?`, [request.uuid])
  expect(await send(request)).toEqual({ kind: 'closed', outcome: 'expired' })
  expect((await rowOf(request.uuid))!.sealedMessage).toBeNull()
})

test('stays sealed in the local outbox', async () => {
  const request = requestOf(EMAIL)
  expect(await sender({ outbox: true })(request)).toEqual({ kind: 'closed', outcome: 'kept' })
  expect((await rowOf(request.uuid))!.sealedMessage).toMatch(/^sealed\./)
})
