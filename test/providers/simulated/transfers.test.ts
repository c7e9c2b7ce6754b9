import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import { SHOP } from '../../simulator/support/simulator-fixture.ts'
import { createWooviClient } from '../../simulator/support/woovi-client.ts'
import {
  COLLECTION_KEY,
  openSimulatedProvider,
  pollUntil,
  SIMULATED_APIS,
  type SimulatedProvider,
} from '../support/simulated.ts'

describe('transfers', () => {
  /** What each provider documents of a transfer. */
  const documented = {
    efi: {
      repeated: { kind: 'unknown', code: 'duplicate_id' },
      noBalance: { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
      refused: { kind: 'rejected', finality: 'other_may_help', code: 'provider_account_blocked' },
      tooManyRequests: { kind: 'rejected', finality: 'other_may_help', code: 'rate_limited' },
      listsReturns: true,
      namesRailCodes: true,
      // Efí stores no payment that it refuses at once.
      refusedIsStored: false,
      missingAccount: 'AC03',
      blockedAccount: 'AC06',
    },
    woovi: {
      repeated: { kind: 'unknown', code: 'duplicate_id' },
      // Woovi may keep a refused order, so the refusal counts once the absence of the order is proved.
      noBalance: { kind: 'unknown', code: 'insufficient_balance', refusal: { finality: 'other_may_help' } },
      refused: { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' },
      tooManyRequests: { kind: 'unknown', code: 'rate_limited', refusal: { finality: 'other_may_help' } },
      listsReturns: true,
      namesRailCodes: true,
      refusedIsStored: true,
      missingAccount: 'account_not_found',
      blockedAccount: 'provider_account_blocked',
    },
    sicoob: {
      // A refused confirmation counts once the absence of the payment is proved: this one is found.
      repeated: { kind: 'unknown', code: 'provider_validation' },
      // A payment that was not carried out: the reason is a text.
      noBalance: { kind: 'rejected', finality: 'other_may_help', code: 'provider_rejected' },
      refused: { kind: 'unknown', code: 'provider_validation', refusal: { finality: 'other_may_help' } },
      tooManyRequests: { kind: 'unknown', code: 'http_429' },
      listsReturns: false,
      namesRailCodes: false,
      refusedIsStored: true,
      missingAccount: 'AC03',
      blockedAccount: 'AC06',
    },
  } as const

  // A payment at Inter has no id of ours, and its refusal comes later: inter.test.ts.
  const transferApis = SIMULATED_APIS.filter(api => api !== 'inter')

  describe.each(transferApis)('%s', dialect => {
    const { repeated, noBalance, refused, tooManyRequests, ...facts } = documented[dialect]
    let shop: SimulatedProvider
    beforeAll(async () => {
      shop = await openSimulatedProvider(dialect)
    })
    beforeEach(() => shop.control.clearFaults())
    afterAll(() => shop.close())

    test('a transfer is accepted, settles, and is notified', async () => {
      const order = shop.transferRequest()
      expect(await shop.sendTransfer(order)).toMatchObject({
        kind: 'accepted',
        payout: { status: 'in_process', cents: order.cents, endToEnd: expect.stringMatching(/^E09089356/) },
      })
      expect(await shop.waitForEnd(() => shop.findTransfer(order))).toMatchObject({
        status: 'settled',
        cents: order.cents,
        receiver: { name: 'Favorecido de Teste' },
        returns: [],
      })
      await shop.waitForNotification(shop.isAbout(order))
      expect(await shop.sendTransfer(order)).toMatchObject(repeated)
      expect(await shop.findTransfer(order)).toMatchObject({ kind: 'found', payout: { status: 'settled' } })
    })

    test('a transfer to an account is accepted, settles, and is notified', async () => {
      const order = shop.accountTransferRequest()
      expect(await shop.sendTransfer(order)).toMatchObject({
        kind: 'accepted',
        payout: { status: 'in_process', cents: order.cents },
      })
      expect(await shop.waitForEnd(() => shop.findTransfer(order))).toMatchObject({
        status: 'settled',
        cents: order.cents,
        endToEnd: expect.stringMatching(/^E09089356/),
        receiver: { document: expect.stringMatching(/^(?:52998224725|\*{3}982247\*{2})$/) },
        returns: [],
      })
      await shop.waitForNotification(shop.isAbout(order))
    })

    test.each([
      ['1111111', facts.missingAccount],
      ['3333333', facts.blockedAccount],
      ['1010101', 'AC06'],
    ])('a transfer to the account %s is rejected after its acceptance', async (account_number, railCode) => {
      const order = shop.accountTransferRequest({ account_number })
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'accepted' })
      const end = await shop.waitForEnd(() => shop.findTransfer(order))
      const { raw } = await shop.waitForNotification(shop.isAbout(order))
      const rejection = shop.provider.readNotifiedDetails?.(raw).rejection
      const code = facts.namesRailCodes ? railCode : 'provider_rejected'
      expect({ ...end, ...rejection }).toMatchObject({ status: 'rejected', code })
    })

    test.each([
      ['ac03', 'AC03', 'final'],
      ['frad', 'FRAD', 'final'],
      ['dupl', 'DUPL', 'final'],
      ['am04', 'AM04', 'other_may_help'],
      ['ab03', 'AB03', 'other_may_help'],
    ])('%s@ is refused in the response: %s, %s', async (name, railCode, finality) => {
      const code = facts.namesRailCodes ? railCode : 'provider_rejected'
      const order = shop.transferRequest(`${name}@sim.trilho.test`)
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'rejected', code, finality })
      expect(await shop.findTransfer(order)).toMatchObject(
        facts.refusedIsStored
          ? { kind: 'found', payout: { status: 'rejected', code } }
          : { kind: 'not_found' },
      )
    })

    test('ac03-later@ is accepted, then rejected and notified', async () => {
      const order = shop.transferRequest('ac03-later@sim.trilho.test')
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'accepted' })
      const end = await shop.waitForEnd(() => shop.findTransfer(order))
      const { raw } = await shop.waitForNotification(shop.isAbout(order))
      // Efí shows the cause in the notification only.
      const rejection = shop.provider.readNotifiedDetails?.(raw).rejection
      const code = facts.namesRailCodes ? 'AC03' : 'provider_rejected'
      expect({ ...end, ...rejection }).toMatchObject({ status: 'rejected', code })
    })

    test('timeout-then-done@ leaves the outcome unknown; polled, it exists, and was sent once', async () => {
      const order = shop.transferRequest('timeout-then-done@sim.trilho.test')
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
      expect(await shop.waitForEnd(() => shop.findTransfer(order))).toMatchObject({ status: 'settled' })
      expect(await shop.sendTransfer(order)).toMatchObject(repeated)
    })

    test('timeout-then-absent@ leaves the outcome unknown; polled, it is absent; sent again it is accepted', async () => {
      const order = shop.transferRequest('timeout-then-absent@sim.trilho.test')
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
      expect(await shop.findTransfer(order)).toEqual({ kind: 'not_found' })
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'accepted' })
    })

    test('slow@ is answered late and correctly', async () => {
      expect(await shop.sendTransfer(shop.transferRequest('slow@sim.trilho.test'))).toMatchObject({
        kind: 'accepted',
      })
    })

    test('returned@ settles, and its return is notified and found, where the provider lists it', async () => {
      const order = shop.transferRequest('returned@sim.trilho.test', 3000)
      await shop.sendTransfer(order)
      if (!facts.listsReturns) {
        await pollUntil(
          () => shop.control.listStatement('PROVIDER_A'),
          lines => lines.some(({ kind }) => kind === 'return'),
        )
        expect(await shop.findTransfer(order)).toMatchObject({ payout: { status: 'settled', returns: [] } })
        return
      }
      const outcome = await pollUntil(
        () => shop.findTransfer(order),
        it => it.kind === 'found' && (it.payout.returns ?? []).length > 0,
      )
      const payout = outcome.kind === 'found' ? outcome.payout : undefined
      expect(payout).toMatchObject({
        status: 'settled',
        returns: [{ cents: 3000, endToEnd: expect.stringMatching(/^D99999004/) }],
      })
      await pollUntil(
        async () => (await shop.readNotifications()).flatMap(it => (it.kind === 'items' ? it.items : [])),
        items =>
          items.filter(item => item.kind === 'transfer' && item.endToEnd === payout!.endToEnd).length > 1,
      )
    })

    test('an amount above the balance is refused so that another provider is tried', async () => {
      expect(await shop.sendTransfer(shop.transferRequest(undefined, 99_000_000))).toMatchObject(noBalance)
    })

    test.each([
      ['refused', refused],
      ['http_429', tooManyRequests],
      ['http_500', { kind: 'unknown', code: 'http_500' }],
      ['broken_body', { kind: 'unknown', code: 'unreadable_answer' }],
      ['unreachable', { kind: 'unreachable' }],
    ] as const)('%s, when sending', async (fault, outcome) => {
      await shop.provider.balances() // The access token exists before the fault, so that the fault applies to the transfer.
      await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'sendTransfer', fault })
      expect(await shop.sendTransfer(shop.transferRequest())).toMatchObject(outcome)
    })
  })
})

describe('orders', () => {
  /** Woovi's own ids and its panel: the adapter asks by its own id, reads what comes, and believes no event. */

  let shop: SimulatedProvider
  beforeAll(async () => {
    shop = await openSimulatedProvider('woovi')
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  const fault = (
    kind: 'txid_differs' | 'order_left' | 'order_removed' | 'accepted_then_reported_removed',
    operation: 'issueCharge' | 'sendTransfer',
    delay_ms?: number,
  ) =>
    shop.control.addFault({
      provider: 'PROVIDER_A',
      fault: kind,
      operation,
      ...(delay_ms === undefined ? {} : { delay_ms }),
    })

  test('a charge keeps the txid and payload that Woovi chose, and is polled by our id', async () => {
    await fault('txid_differs', 'issueCharge')
    const charge = await shop.issueCharge(1234)
    expect(charge.txid).toMatch(/^[0-9a-f]{32}$/)
    expect(charge.txid).not.toBe(charge.reference)
    expect(await shop.control.listCharges()).toContainEqual({
      account: 'shop',
      reference: charge.reference,
      txid: charge.txid,
      status: 'active',
    })
    expect(await shop.provider.issueCharge(shop.order(1))).toMatchObject({ kind: 'accepted' })
    const { reference, txid, payload } = charge
    expect(await shop.provider.findCharge(reference)).toMatchObject({
      status: 'open',
      charge: { txid, payload },
    })
    // Woovi finds it by its own id too, which is none of ours.
    expect(await shop.provider.findCharge(txid)).toMatchObject({ kind: 'no_answer' })

    const { end_to_end: endToEnd } = await shop.control.pay({ payload })
    expect(await shop.waitForNotification(item => item.endToEnd === endToEnd)).toMatchObject({
      kind: 'payment',
      reference,
    })
    const payment = { endToEnd, txid, reference, cents: 1234, status: 'settled' }
    expect(await shop.provider.findCharge(reference)).toMatchObject({
      status: 'completed',
      payments: [payment],
    })
    expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ kind: 'found', payment })
  })

  test('a repeated request is the same charge, with the txid that Woovi chose', async () => {
    await fault('txid_differs', 'issueCharge')
    const order = shop.order(500)
    const first = await shop.provider.issueCharge(order)
    expect(await shop.provider.issueCharge(order)).toEqual(first)
    expect(await shop.provider.cancelCharge(order.reference)).toEqual({ kind: 'cancelled' })
  })

  test('a payment removed in the panel is notified with our id, and its lookup does not find it', async () => {
    await fault('order_left', 'sendTransfer')
    const order = shop.transferRequest()
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'awaiting_approval' })
    await shop.control.removeOrder(order.id)
    const notification = await shop.waitForNotification(item => item.reference === order.id)
    expect(notification).toMatchObject({ kind: 'transfer', endToEnd: null })
    expect(JSON.parse(notification.raw)).toMatchObject({
      event: 'OPENPIX:MOVEMENT_REMOVED',
      payment: { correlationID: order.id },
    })
    expect(await shop.provider.findTransfer({ id: order.id })).toEqual({ kind: 'not_found' })
  })

  test('a payment that will be removed awaits its approval until then', async () => {
    await fault('order_removed', 'sendTransfer', 400)
    const order = shop.transferRequest()
    const send = () => shop.provider.sendTransfer(order)
    expect(await shop.stage.whileClockIsStopped(send)).toMatchObject({ kind: 'awaiting_approval' })
    await pollUntil(
      () => shop.provider.findTransfer({ id: order.id }),
      ({ kind }) => kind === 'not_found',
    )
  })

  test('a payment notified as removed that is paid nevertheless is in process, then settled', async () => {
    await fault('accepted_then_reported_removed', 'sendTransfer', 400)
    const order = shop.transferRequest()
    const send = () => shop.provider.sendTransfer(order)
    expect(await shop.stage.whileClockIsStopped(send)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process' },
    })
    await shop.waitForNotification(item => item.reference === order.id)
    expect(await shop.waitForEnd(() => shop.provider.findTransfer({ id: order.id }))).toMatchObject({
      status: 'settled',
    })
  })

  test('a PIX of a static code is notified with its end-to-end id, and belongs to no charge', async () => {
    const { facts, ca } = shop.stage
    const woovi = createWooviClient(facts.providers[SHOP.provider].base_url, { ca, ...SHOP })
    const { pixQrCode, brCode } = (await woovi.post('/qrcode-static', { name: 'Balcao', value: 420 })).body
    await woovi.close()
    const { end_to_end: endToEnd } = await shop.control.pay({ payload: brCode })
    const notification = await shop.waitForNotification(item => item.endToEnd === endToEnd)
    expect(notification).toMatchObject({ kind: 'payment', reference: null })
    expect(JSON.parse(notification.raw)).toMatchObject({ pixQrCode, charge: null })
    const payment = { cents: 420, reference: null, txid: pixQrCode.identifier, status: 'settled' }
    expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ kind: 'found', payment })
  })
})

describe('pix keys', () => {
  const random = { type: 'RANDOM', key: null } as const

  const keyApis = SIMULATED_APIS.filter(api =>
    PROVIDER_CAPABILITIES[api].creatableKeyTypes.includes('RANDOM'),
  )

  describe.each(keyApis)('%s', dialect => {
    let shop: SimulatedProvider
    beforeAll(async () => {
      shop = await openSimulatedProvider(dialect)
    })
    beforeEach(() => shop.control.clearFaults())
    afterAll(() => shop.close())

    const keys = async () => {
      const list = await shop.provider.listKeys()
      return list.kind === 'found' ? list.keys.filter(({ type }) => type === 'RANDOM') : []
    }
    const fault = (
      operation: 'createKey' | 'listKeys' | 'deleteKey',
      kind: 'timeout_then_done' | 'refused',
    ) => shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: kind })

    test('a random key is created, listed, receives a charge, and is removed once', async () => {
      const creation = await shop.provider.createKey(random)
      if (creation.kind !== 'created') throw new Error(JSON.stringify(creation))
      expect(await keys()).toEqual([{ key: creation.key, type: 'RANDOM' }])
      await shop.control.deposit({ key: creation.key, value: 1 })
      expect(await shop.provider.deleteKey(creation.key)).toEqual({ kind: 'deleted' })
      expect(await shop.provider.deleteKey(creation.key)).toEqual({ kind: 'not_found' })
      expect(await keys()).toEqual([])
    })

    test('a key whose answer got lost is found in the list', async () => {
      await fault('createKey', 'timeout_then_done')
      expect(await shop.provider.createKey(random)).toMatchObject({ kind: 'unknown' })
      const [randomKey] = await keys()
      await fault('deleteKey', 'timeout_then_done')
      expect(await shop.provider.deleteKey(randomKey!.key)).toMatchObject({ kind: 'unknown' })
      expect(await shop.provider.deleteKey(randomKey!.key)).toEqual({ kind: 'not_found' })
    })

    test('a refusal is a refusal, and a failed lookup is no answer', async () => {
      await fault('createKey', 'refused')
      expect(await shop.provider.createKey(random)).toMatchObject({
        kind: 'rejected',
        finality: 'other_may_help',
      })
      await fault('listKeys', 'refused')
      expect(await shop.provider.listKeys()).toMatchObject({ kind: 'no_answer', code: 'provider_denied' })
      await fault('deleteKey', 'refused')
      expect(await shop.provider.deleteKey(COLLECTION_KEY)).toMatchObject({ kind: 'rejected' })
    })

    test('an account has a limited number of keys', async () => {
      for (let creation = 1; creation < 20; creation += 1) await shop.provider.createKey(random)
      expect(await shop.provider.createKey(random)).toMatchObject({ kind: 'rejected', code: 'key_limit' })
    })
  })

  describe('woovi alone', () => {
    let shop: SimulatedProvider
    beforeAll(async () => {
      shop = await openSimulatedProvider('woovi')
    })
    afterAll(() => shop.close())

    test.each([
      { type: 'DOCUMENT', key: '11222333000181' },
      { type: 'EMAIL', key: 'outra@example.com' },
      { type: 'PHONE', key: '+5511987654321' },
    ] as const)('a $type key whose answer got lost is created once, when requested again', async order => {
      await shop.control.addFault({
        provider: 'PROVIDER_A',
        operation: 'createKey',
        fault: 'timeout_then_done',
      })
      expect(await shop.provider.createKey(order)).toMatchObject({ kind: 'unknown' })
      expect(await shop.provider.createKey(order)).toEqual({ kind: 'created', key: order.key })
      expect(await shop.provider.listKeys()).toMatchObject({
        keys: expect.arrayContaining([{ key: order.key, type: order.type }]),
      })
      expect(await shop.provider.deleteKey(order.key)).toEqual({ kind: 'deleted' })
    })

    test('a key of another account is refused', async () => {
      await shop.control.putAccount('other', {
        provider: 'PROVIDER_B',
        dialect: 'efi',
        client_id: 'o',
        client_secret: 'o',
        ispb: '09089356',
        holder: { name: 'Outra', document: '11222333000181' },
        keys: ['tomada@example.com'],
      })
      expect(await shop.provider.createKey({ type: 'EMAIL', key: 'tomada@example.com' })).toMatchObject({
        kind: 'rejected',
        finality: 'final',
        code: 'key_already_registered',
      })
    })

    test('the key that receives charges cannot be removed', async () => {
      expect(await shop.provider.deleteKey(COLLECTION_KEY)).toMatchObject({
        kind: 'rejected',
        code: 'key_in_use',
      })
    })
  })
})
