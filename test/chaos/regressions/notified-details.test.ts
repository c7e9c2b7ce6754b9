import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { createEfiNotifications } from '../../../src/providers/efi/notifications.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** What a provider tells in a notification only, and what a new key needs to be notified. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  const credentials = { client_id: 'id', client_secret: 's', notification_secret: 'n' }
  const { readNotifiedDetails } = createEfiNotifications(credentials)
  fixture.scriptProvider({ readNotifiedDetails: readNotifiedDetails! })
})
afterAll(() => fixture?.close())

type Notification = { kind: 'payment' | 'transfer'; reference: string | null; endToEnd: string; raw: object }

async function storeNotification(connectionUuid: string, { raw, ...notification }: Notification) {
  const em = fixture.orm.em.fork()
  const received = { ...notification, uuid: randomUUID(), body: JSON.stringify(raw), requestId: 'r' }
  await runQuery(em, storeProviderNotifications(em, connectionUuid, [received]))
}

test.each([
  ['names', { pagador: { nome: 'Maria', cpf: '***.456.789-**', codigoBanco: '00416968' } }, 'Maria'],
  ['does not name', { tarifa: '0.01' }, undefined],
])('a deposit has the payer whom only its notification %s', async (_, gnExtras, name) => {
  const { connectionUuid } = await fixture.createMerchant(0)
  const endToEnd = `E${randomUUID().replaceAll('-', '').slice(1)}`
  const raw = { endToEndId: endToEnd, valor: '1.00', gnExtras }
  await storeNotification(connectionUuid, { kind: 'payment', reference: null, endToEnd, raw })
  const payment: IncomingPix = {
    endToEnd,
    txid: null,
    reference: null,
    cents: 100,
    status: 'settled',
    at: new Date().toISOString(),
    payer: null,
    pixKey: 'k',
  }
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
  await fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  const [row] = await fixture.sql<{ sender: { name: string } | null }>(
    'select sender from movement where end_to_end = ?',
    [endToEnd],
  )
  expect(row!.sender?.name).toBe(name)
})

test('a transfer that is refused late has the cause that only its notification tells', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid } = merchant
  const order = fixture.transferInput(merchant, { valueCents: 500 })
  await fixture.records.storeTransfer(order)
  const payout = { status: 'in_process', cents: 500, endToEnd: 'E1', at: null } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  const erro = { codigo: 'AC03', origem: 'PSP do usuário recebedor', motivo: 'Conta inexistente' }
  const reference = referenceOf(order.uuid)
  const raw = { status: 'NAO_REALIZADO', gnExtras: { idEnvio: reference, erro } }
  await storeNotification(connectionUuid, { kind: 'transfer', reference, endToEnd: 'E1', raw })
  const rejected = { ...payout, status: 'rejected', code: 'provider_rejected', message: 'No' } as const
  fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: rejected }) })
  expect(
    await fixture.providers.pollTransfer({ uuid: order.uuid, connectionUuid, pollCount: 1 }),
  ).toMatchObject({ kind: 'rejected', code: 'AC03' })
})

test.each<[string, Awaited<ReturnType<Provider['registerNotificationUrl']>>[], string]>([
  ['at once', [{ kind: 'registered' }], 'active'],
  [
    'after an answer was lost',
    [{ kind: 'no_answer', code: 'timeout', message: '' }, { kind: 'registered' }],
    'active',
  ],
  ['although it is refused', [{ kind: 'no_answer', code: 'provider_denied', message: '' }], 'active'],
])('the URL of notifications is registered for a created key, %s', async (_, answers, state) => {
  const { connectionUuid } = await fixture.createMerchant(0)
  const [uuid, key] = [randomUUID(), randomUUID()]
  await fixture.sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', 'creating', 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [uuid, connectionUuid],
  )
  const registered: unknown[] = []
  const calls = answers.length
  let listed: string[] = []
  fixture.scriptProvider({
    listKeys: async () => ({
      kind: 'found',
      keys: listed.map(one => ({ type: 'RANDOM' as const, key: one })),
    }),
    async createKey() {
      listed = [key]
      return { kind: 'created', key }
    },
    async registerNotificationUrl(...call) {
      registered.push(call)
      return answers.shift()!
    },
  })
  await fixture.providers.createKey({ uuid })
  if (calls > 1)
    expect(await fixture.providers.pollPixKey({ uuid, pollCount: 0 })).toMatchObject({ kind: 'closed' })
  expect(await fixture.sql('select key, state from pix_key where uuid = ?', [uuid])).toEqual([{ key, state }])
  const url = `https://trilho.test/provider-notifications/${connectionUuid}`
  expect(registered).toEqual(Array.from({ length: calls }, () => [url, key]))
})
