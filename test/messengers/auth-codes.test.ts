import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sendAuthCode, storeAuthCode } from '../../src/activities/auth-codes.ts'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { AuthCode } from '../../src/db/entities/pix-key.ts'
import type { ProvedType } from '../../src/domain/pix-key.ts'
import { type Messengers, openMessengers } from '../../src/messengers/messengers.ts'
import { sealer } from '../../src/sealing.ts'
import { openWorld, type World } from '../http/support/world.ts'
import { bodyOf, type MailServer, mailServer } from './support/mail-server.ts'

/** A code's way from the order to the mailbox: the real database, and a real SMTP server that comes and goes. */

let world: World
let mail: MailServer
let accountUuid: string
beforeAll(async () => {
  world = await openWorld([])
  accountUuid = await world.account()
})
afterAll(() => world?.close())
beforeEach(async () => {
  mail = await mailServer()
})
afterEach(() => mail.close())

function activities(messengers: Messengers) {
  const dependencies = { ...world.dependencies, messengers } as unknown as Dependencies
  return { store: storeAuthCode(dependencies), send: sendAuthCode(dependencies) }
}
const bySmtp = () =>
  activities(
    openMessengers({ smtp: { url: mail.url, from: 'pix@padaria.example' }, sms: null, outbox: false }),
  )
const byOutbox = () => activities(openMessengers({ smtp: null, sms: null, outbox: true }))

function orderTo(address: string, type: ProvedType = 'EMAIL') {
  const details = world.dependencies.sealer.seal({ address, fingerprint: 'f' })
  return { uuid: randomUUID(), accountUuid, type, details, requestId: 'r', timeScale: 1 }
}
const rowOf = (uuid: string) => world.orm.em.fork().findOneOrFail(AuthCode, uuid)
const codeIn = (text: string) => /^(\d{6}) é o seu código/.exec(text)?.[1]

describe('a code', () => {
  test('comes by e-mail, and what tells it is all that is kept', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'over', fate: 'sent' })
    expect(mail.letters.map(({ to }) => to)).toEqual([['maria@example.com']])
    const code = codeIn(bodyOf(mail.letters[0]!))
    const row = await rowOf(order.uuid)
    expect(row).toMatchObject({
      delivery: 'sent',
      sealedMessage: null,
      key: 'maria@example.com',
      wrongTries: 0,
    })
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(600_000)
    expect(world.dependencies.sealer.isMacOf(row.mac, `${order.uuid}:${code}`)).toBe(true)
    expect(JSON.stringify(row)).not.toContain(code)
  })

  test('is made once: a repeated store keeps the code of the letter, and a repeated send sends nothing', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    const { mac } = await rowOf(order.uuid)
    await store(order)
    expect((await rowOf(order.uuid)).mac).toBe(mac)
    await send({ uuid: order.uuid })
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'over', fate: 'sent' })
    expect(mail.letters).toHaveLength(1)
  })

  test('survives a server that is away, and reaches its address when it is back', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    await mail.close()
    expect(await send({ uuid: order.uuid })).toMatchObject({ kind: 'again' })
    const sealed = (await rowOf(order.uuid)).sealedMessage
    expect(sealed).toMatch(/^sealed\./)
    expect(sealed).not.toContain('maria')
    mail = await mailServer({ port: mail.port })
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'over', fate: 'sent' })
    expect(mail.letters).toHaveLength(1)
  })

  test('for an address that its server refuses is given up, and kept no longer', async () => {
    const { store, send } = bySmtp()
    mail.refusals.rcpt = 550
    const order = orderTo('nobody@example.com')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'over', fate: 'refused' })
    expect(await rowOf(order.uuid)).toMatchObject({ delivery: 'refused', sealedMessage: null })
  })

  test('that nobody carried in its ten minutes is not sent any more', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('maria@example.com')
    await store(order)
    await world.orm.em.execute('update auth_code set expires_at = now() where uuid = ?', [order.uuid])
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'over', fate: 'expired' })
    expect([mail.letters, (await rowOf(order.uuid)).sealedMessage]).toEqual([[], null])
  })

  test('for a phone waits while no gateway is named', async () => {
    const { store, send } = bySmtp()
    const order = orderTo('+5511987654321', 'PHONE')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'again', code: 'no_carrier' })
  })

  test('stays in the outbox, sealed, where it is read', async () => {
    const { store, send } = byOutbox()
    const order = orderTo('+5511987654321', 'PHONE')
    await store(order)
    expect(await send({ uuid: order.uuid })).toEqual({ kind: 'over', fate: 'kept' })
    const row = await rowOf(order.uuid)
    const message = world.dependencies.sealer.open<{ to: string; code: string }>(row.sealedMessage!)
    expect(message).toEqual({ to: '+5511987654321', code: expect.stringMatching(/^\d{6}$/) })
    expect(world.dependencies.sealer.isMacOf(row.mac, `${order.uuid}:${message.code}`)).toBe(true)
  })
})

describe('what tells a code', () => {
  const [a, b] = ['a', 'b'].map((id, index) => `${id}:${Buffer.alloc(32, index + 1).toString('base64')}`)

  test('tells no other, and not that of another order', () => {
    const { mac, isMacOf } = sealer(a!)
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

  test('is told after a rotation, and by nobody without the key', () => {
    const made = sealer(a!).mac('order:123456')
    expect(sealer(`${b},${a}`).isMacOf(made, 'order:123456')).toBe(true)
    expect(sealer(b!).isMacOf(made, 'order:123456')).toBe(false)
    expect(sealer(`a:${Buffer.alloc(32, 9).toString('base64')}`).isMacOf(made, 'order:123456')).toBe(false)
  })
})

test('no code and no address is logged', () => {
  expect(world.lines.join('')).toContain('could not be sent yet')
  const said = world.lines.map(line => JSON.stringify({ ...JSON.parse(line), pid: 0, hostname: '' }))
  expect(said.join('')).not.toMatch(/maria|example\.com|\+55|\b\d{6}\b/)
})
