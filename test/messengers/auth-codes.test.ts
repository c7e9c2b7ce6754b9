import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sendAuthCode, storeAuthCode } from '../../src/activities/pix-keys/auth-codes.ts'
import type { ActivityDependencies } from '../../src/activities/runtime/dependencies.ts'
import { pruneEvents } from '../../src/activities/webhooks/prune-events.ts'
import { AuthCode } from '../../src/db/entities/pix-key.ts'
import type { VerifiedKeyType } from '../../src/domain/pix-keys/pix-key.ts'
import { createMessengers, type Messengers } from '../../src/messaging/messengers.ts'
import { createSealer } from '../../src/security/sealing.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { type MailServer, mailBodyOf, startMailServer } from './support/mail-server.ts'

/** A code from its request to the mailbox: the real database, and a real SMTP server that stops and starts. */

let fixture: ApiFixture
let mail: MailServer
let accountUuid: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  accountUuid = await fixture.insertAccount()
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  mail = await startMailServer()
})
afterEach(() => mail.close())

function activities(messengers: Messengers) {
  const dependencies = { ...fixture.dependencies, messengers } as unknown as ActivityDependencies
  return { store: storeAuthCode(dependencies), send: sendAuthCode(dependencies) }
}
const bySmtp = () =>
  activities(
    createMessengers({ smtp: { url: mail.url, from: 'pix@padaria.example' }, sms: null, outbox: false }),
  )
const byOutbox = () => activities(createMessengers({ smtp: null, sms: null, outbox: true }))

function orderTo(address: string, type: VerifiedKeyType = 'EMAIL', { isSimulated = false } = {}) {
  const details = fixture.dependencies.sealer.seal({ address, fingerprint: 'f' })
  return { uuid: randomUUID(), accountUuid, type, isSimulated, details, requestId: 'r', timeScale: 1 }
}
const rowOf = (uuid: string) => fixture.orm.em.fork().findOneOrFail(AuthCode, uuid)
const codeIn = (text: string) => /^(\d{6}) é o seu código/.exec(text)?.[1]

describe('a code', () => {
  test('arrives by e-mail, and only its verifier is stored', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'sent' })
    expect(mail.letters.map(({ to }) => to)).toEqual([['maria@example.com']])
    const code = codeIn(mailBodyOf(mail.letters[0]!))
    const row = await rowOf(order.uuid)
    expect(row).toMatchObject({
      delivery: 'sent',
      sealedMessage: null,
      key: 'maria@example.com',
      wrongAttempts: 0,
    })
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(600_000)
    expect(fixture.dependencies.sealer.isMacOf(row.mac, `${order.uuid}:${code}`)).toBe(true)
    expect(JSON.stringify(row)).not.toContain(code)
  })

  test('is generated once: a repeated store keeps the sent code, and a repeated send sends nothing', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    const { mac } = await rowOf(order.uuid)
    await store(order)
    expect((await rowOf(order.uuid)).mac).toBe(mac)
    await send({ uuid: order.uuid })
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'sent' })
    expect(mail.letters).toHaveLength(1)
  })

  test('survives an unavailable server, and arrives when the server is back', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    await mail.close()
    expect(await send({ uuid: order.uuid })).toMatchObject({ kind: 'again' })
    const sealed = (await rowOf(order.uuid)).sealedMessage
    expect(sealed).toMatch(/^sealed\./)
    expect(sealed).not.toContain('maria')
    mail = await startMailServer({ port: mail.port })
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'sent' })
    expect(mail.letters).toHaveLength(1)
  })

  test('for an address that its server refuses is given up and deleted', async () => {
    const { store, send } = bySmtp()
    mail.refusals.rcpt = 550
    const order = orderTo('nobody@example.com')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'refused' })
    expect(await rowOf(order.uuid)).toMatchObject({ delivery: 'refused', sealedMessage: null })
  })

  test('that could not be sent within its ten minutes is not sent any more', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    await fixture.orm.em.execute('update auth_code set expires_at = now() where uuid = ?', [order.uuid])
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'expired' })
    expect([mail.letters, (await rowOf(order.uuid)).sealedMessage]).toEqual([[], null])
  })

  test('for a phone waits while no gateway is configured', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('+5511987654321', 'PHONE')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'again', code: 'no_carrier' })
  })

  test('of a test token is kept in the outbox, and never sent', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com', 'EMAIL', { isSimulated: true })
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'kept' })
    const row = await rowOf(order.uuid)
    expect(fixture.dependencies.sealer.open(row.sealedMessage!)).toMatchObject({ to: 'maria@example.com' })
    expect(mail.letters).toEqual([])
  })

  test('is deleted thirty days after its expiry, except where it proves the address of a key', async () => {
    const { store, send } = bySmtp()
    const [old, young, used] = [orderTo('a@example.com'), orderTo('b@example.com'), orderTo('c@example.com')]
    for (const order of [old, young, used]) await store(order)
    const connection = await fixture.insertConnection(accountUuid, {
      provider: 'PROVIDER_B',
      dialect: 'woovi',
    })
    await fixture.orm.em.execute(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
         auth_code_uuid, request_id, fingerprint, created_at, updated_at)
       select gen_random_uuid(), account_uuid, uuid, provider_account_uuid, is_simulated, 'EMAIL', 'c@example.com', 'active',
         ?, 'r', 'f', now(), now() from connection where uuid = ?`,
      [used.uuid, connection],
    )
    const moveBack =
      'update auth_code set created_at = created_at - ?::interval, expires_at = expires_at - ?::interval'
    for (const [days, uuids] of [
      ['31 days', [old.uuid, used.uuid]],
      ['29 days', [young.uuid]],
    ] as const)
      await fixture.orm.em.execute(`${moveBack} where uuid in (?)`, [days, days, uuids])
    await pruneEvents({ orm: fixture.orm } as never)()
    const kept = await fixture.orm.em.fork().find(AuthCode, [old.uuid, young.uuid, used.uuid])
    expect(kept.map(({ uuid }) => uuid).sort()).toEqual([young.uuid, used.uuid].sort())
    expect(await send({ uuid: old.uuid })).toEqual({ kind: 'closed', outcome: 'expired' })
    expect(mail.letters).toEqual([])
  })

  test('stays in the outbox, sealed, where that is configured', async () => {
    const { store, send } = byOutbox()
    const order = orderTo('+5511987654321', 'PHONE')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'closed', outcome: 'kept' })
    const row = await rowOf(order.uuid)
    const message = fixture.dependencies.sealer.open<{ to: string; code: string }>(row.sealedMessage!)
    expect(message).toEqual({ to: '+5511987654321', code: expect.stringMatching(/^\d{6}$/) })
    expect(fixture.dependencies.sealer.isMacOf(row.mac, `${order.uuid}:${message.code}`)).toBe(true)
  })
})

describe('the verifier of a code', () => {
  const [a, b] = ['a', 'b'].map((id, index) => `${id}:${Buffer.alloc(32, index + 1).toString('base64')}`)

  test('accepts no other code, and not the code of another request', () => {
    const { mac, isMacOf } = createSealer(a!)
    const made = mac('order:123456')
    expect(made).toMatch(/^mac\.a\.[\w-]{43}$/)
    expect([
      isMacOf(made, 'order:123456'),
      isMacOf(made, 'order:123457'),
      isMacOf(made, 'other:123456'),
    ]).toEqual([...[true, false, false]])
    for (const broken of ['', 'mac', 'mac.a.', 'mac.z.x', `${made}x`])
      expect(isMacOf(broken, 'order:123456')).toBe(false)
  })

  test('works after a rotation, and not without the key', () => {
    const mac = createSealer(a!).mac('order:123456')
    expect(createSealer(`${b},${a}`).isMacOf(mac, 'order:123456')).toBe(true)
    expect(createSealer(b!).isMacOf(mac, 'order:123456')).toBe(false)
    expect(createSealer(`a:${Buffer.alloc(32, 9).toString('base64')}`).isMacOf(mac, 'order:123456')).toBe(
      false,
    )
  })
})

test('no code and no address is logged', () => {
  expect(fixture.lines.join('')).toContain('the auth code could not be sent')
  const logLines = fixture.lines.map(line => JSON.stringify({ ...JSON.parse(line), pid: 0, hostname: '' }))
  expect(logLines.join('')).not.toMatch(/maria|example\.com|\+55|\b\d{6}\b/)
})
