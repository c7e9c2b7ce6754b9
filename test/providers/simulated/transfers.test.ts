import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PROVIDER_APIS } from '../../../src/domain/providers/provider.ts'
import { openSimulatedProvider, pollUntil, type SimulatedProvider } from '../support/simulated.ts'

/** What each provider documents of a transfer. */
const documented = {
  efi: {
    noBalance: { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
    refusal: 'provider_account_blocked',
    tooManyRequests: { kind: 'rejected', finality: 'other_may_help', code: 'rate_limited' },
  },
  woovi: {
    // Woovi may keep a refused order, so the refusal counts once the absence of the order is proved.
    noBalance: { kind: 'unknown', code: 'insufficient_balance', refusal: { finality: 'other_may_help' } },
    refusal: 'provider_denied',
    tooManyRequests: { kind: 'unknown', code: 'rate_limited', refusal: { finality: 'other_may_help' } },
  },
} as const

describe.each(PROVIDER_APIS)('%s', dialect => {
  let shop: SimulatedProvider
  beforeAll(async () => {
    shop = await openSimulatedProvider(dialect)
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  test('a transfer is accepted, settles, and is notified', async () => {
    const order = shop.transferRequest()
    expect(await shop.provider.sendTransfer(order)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', cents: order.cents, endToEnd: expect.stringMatching(/^E09089356/) },
    })
    expect(await shop.waitForEnd(() => shop.provider.findTransfer(order.id))).toMatchObject({
      status: 'settled',
      cents: order.cents,
      receiver: { name: 'Favorecido de Teste' },
      returns: [],
    })
    await shop.waitForNotification(item => item.kind === 'transfer' && item.reference === order.id)
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown', code: 'duplicate_id' })
  })

  test.each([
    ['ac03', 'AC03', 'final'],
    ['frad', 'FRAD', 'final'],
    ['dupl', 'DUPL', 'final'],
    ['am04', 'AM04', 'other_may_help'],
    ['ab03', 'AB03', 'other_may_help'],
  ])('%s@ is refused in the response: %s, %s', async (name, code, finality) => {
    const order = shop.transferRequest(`${name}@sim.trilho.test`)
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'rejected', code, finality })
    // Woovi's refusal by the rail is a payment that failed.
    expect(await shop.provider.findTransfer(order.id)).toMatchObject(
      dialect === 'woovi' ? { kind: 'found', payout: { status: 'rejected', code } } : { kind: 'not_found' },
    )
  })

  test('ac03-later@ is accepted, then rejected and notified', async () => {
    const order = shop.transferRequest('ac03-later@sim.trilho.test')
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'accepted' })
    const end = await shop.waitForEnd(() => shop.provider.findTransfer(order.id))
    const { raw } = await shop.waitForNotification(
      item => item.kind === 'transfer' && item.reference === order.id,
    )
    // Efí shows the cause in the notification only.
    const rejection = shop.provider.readNotifiedDetails?.(raw).rejection
    expect({ ...end, ...rejection }).toMatchObject({ status: 'rejected', code: 'AC03' })
  })

  test('timeout-then-done@ leaves the outcome unknown; polled, it exists, and was sent once', async () => {
    const order = shop.transferRequest('timeout-then-done@sim.trilho.test')
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    expect(await shop.waitForEnd(() => shop.provider.findTransfer(order.id))).toMatchObject({
      status: 'settled',
    })
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown', code: 'duplicate_id' })
  })

  test('timeout-then-absent@ leaves the outcome unknown; polled, it is absent; sent again it is accepted', async () => {
    const order = shop.transferRequest('timeout-then-absent@sim.trilho.test')
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    expect(await shop.provider.findTransfer(order.id)).toEqual({ kind: 'not_found' })
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'accepted' })
  })

  test('slow@ is answered late and correctly', async () => {
    expect(await shop.provider.sendTransfer(shop.transferRequest('slow@sim.trilho.test'))).toMatchObject({
      kind: 'accepted',
    })
  })

  test('returned@ settles, and its return is notified and found', async () => {
    const order = shop.transferRequest('returned@sim.trilho.test', 3000)
    await shop.provider.sendTransfer(order)
    const outcome = await pollUntil(
      () => shop.provider.findTransfer(order.id),
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
    expect(await shop.provider.sendTransfer(shop.transferRequest(undefined, 99_000_000))).toMatchObject(
      documented[dialect].noBalance,
    )
  })

  test.each([
    ['refused', { kind: 'rejected', finality: 'other_may_help', code: documented[dialect].refusal }],
    ['http_429', documented[dialect].tooManyRequests],
    ['http_500', { kind: 'unknown', code: 'http_500' }],
    ['broken_body', { kind: 'unknown', code: 'unreadable_answer' }],
    ['unreachable', { kind: 'unreachable' }],
  ] as const)('%s, when sending', async (fault, outcome) => {
    await shop.provider.balances() // Efí's token exists before the fault, so that the fault applies to the transfer.
    await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'sendTransfer', fault })
    expect(await shop.provider.sendTransfer(shop.transferRequest())).toMatchObject(outcome)
  })
})
