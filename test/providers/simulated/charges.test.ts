import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  openSimulatedProvider,
  pollUntil,
  SIMULATED_APIS,
  type SimulatedProvider,
} from '../support/simulated.ts'

describe.each(SIMULATED_APIS)('%s', dialect => {
  const isBankOfCharges = dialect === 'sicoob' || dialect === 'inter'
  let shop: SimulatedProvider
  beforeAll(async () => {
    shop = await openSimulatedProvider(dialect)
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  test('a charge is issued, paid, notified and found', async () => {
    const charge = await shop.issueCharge(1234)
    expect(await shop.provider.findCharge(charge.reference)).toMatchObject({ status: 'open', payments: [] })
    const { end_to_end: endToEnd } = await shop.control.pay({ payload: charge.payload })

    const notification = await shop.waitForNotification(
      item => item.kind === 'payment' && item.reference === charge.reference,
    )
    expect(notification.endToEnd).toBe(endToEnd)
    const payment = {
      endToEnd,
      txid: charge.txid,
      reference: charge.reference,
      cents: 1234,
      status: 'settled',
    }
    // Sicoob and Inter do not show the bank of a payer.
    const bank = isBankOfCharges ? {} : { bank: { ispb: '99999004' } }
    // Inter masks the payer's document.
    const document = dialect === 'inter' ? '' : '12345678909'
    const payer = { name: 'Pagador de Teste', document, ...bank }
    const withPayer = { ...payment, payer: shop.dialect === 'efi' ? null : payer }
    // Efí shows the payer in the notification only.
    const { readNotifiedDetails } = shop.provider
    if (readNotifiedDetails) expect(readNotifiedDetails(notification.raw)).toMatchObject({ payer })
    expect(await shop.provider.findCharge(charge.reference)).toMatchObject({
      kind: 'found',
      status: 'completed',
      payments: [withPayer],
    })
    expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ kind: 'found', payment: withPayer })
  })

  test('a repeated request yields the same charge; with another value it does not', async () => {
    const order = shop.order(500)
    const first = await shop.provider.issueCharge(order)
    // The second answer is a look-up at Efí, so it expires by Efí's clock.
    const repeat = await shop.provider.issueCharge(order)
    const charge = first.kind === 'accepted' ? { ...first.charge, expiresAt: expect.any(String) } : undefined
    expect(repeat).toEqual({ kind: 'accepted', charge })
    // Sicoob and Inter change a charge that is issued again; of one charge of ours the value stays.
    expect(await shop.provider.issueCharge({ ...order, totalCents: 501 })).toMatchObject(
      isBankOfCharges
        ? { kind: 'accepted', charge: { totalCents: 501 } }
        : { kind: 'rejected', code: 'reference_in_use' },
    )
  })

  test('a charge is cancelled once, and a payment that arrives nevertheless is found', async () => {
    const charge = await shop.issueCharge(700)
    expect(await shop.provider.cancelCharge(charge.reference)).toEqual({ kind: 'cancelled' })
    expect(['cancelled', 'not_found']).toContain((await shop.provider.cancelCharge(charge.reference)).kind)
    await shop.control.pay({ payload: charge.payload, value: 3, force: true })
    expect(await shop.provider.findCharge(charge.reference)).toMatchObject({
      status: 'removed',
      payments: [{ cents: 300 }],
    })
  })

  test('a paid charge cannot be cancelled', async () => {
    const charge = await shop.issueCharge(700)
    await shop.control.pay({ payload: charge.payload })
    expect(await shop.provider.cancelCharge(charge.reference)).toMatchObject({ kind: 'refused' })
  })

  test('a second payment is listed among the charge’s payments', async () => {
    const charge = await shop.issueCharge(800)
    await shop.control.pay({ payload: charge.payload })
    await shop.control.pay({ payload: charge.payload, value: 3, force: true })
    const outcome = await shop.provider.findCharge(charge.reference)
    const cents = outcome.kind === 'found' ? outcome.payments.map(payment => payment.cents) : []
    expect(cents.toSorted((a, b) => b - a)).toEqual([800, 300])
  })

  test('an unknown resource is not found', async () => {
    const id = shop.id()
    const endToEnd = `E${'0'.repeat(31)}`
    expect(await shop.provider.findCharge(id)).toEqual({ kind: 'not_found' })
    expect(await shop.provider.cancelCharge(id)).toEqual({ kind: 'not_found' })
    expect(await shop.provider.findPayment(endToEnd)).toEqual({ kind: 'not_found' })
    // Sicoob looks a payment up by the end-to-end id of its preparation.
    const handle = { ref: endToEnd, endToEnd }
    // Inter never proves that a payment is absent.
    expect(await shop.provider.findTransfer({ id, ...(dialect === 'sicoob' && { handle }) })).toMatchObject({
      kind: dialect === 'inter' ? 'no_answer' : 'not_found',
    })
    expect(await shop.provider.findRefund({ id, endToEnd })).toEqual({ kind: 'not_found' })
  })

  test('a deposit is notified, and found by its end-to-end id', async () => {
    const { end_to_end: endToEnd } = await shop.control.deposit({ account: 'shop', value: 4.2 })
    // Sicoob and Inter notify only PIX with a txid ("PUT /webhook/{chave}").
    if (!isBankOfCharges)
      expect((await shop.waitForNotification(item => item.endToEnd === endToEnd)).kind).toBe('payment')
    expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ payment: { cents: 420 } })
  })

  test('a refund is in process, then settled and notified', async () => {
    const charge = await shop.issueCharge(3000)
    const { end_to_end } = await shop.control.pay({ payload: charge.payload })
    const order = { id: shop.id(), endToEnd: end_to_end, cents: 1250 }
    const outcome = await shop.provider.refund(order)
    expect(outcome).toMatchObject({ kind: 'accepted', payout: { status: 'in_process' } })
    const end = await shop.waitForEnd(() => shop.provider.findRefund(order))
    expect(end).toMatchObject({
      status: 'settled',
      cents: 1250,
      endToEnd: expect.stringMatching(/^D09089356/),
    })
    await shop.waitForNotification(item => item.kind === 'refund' && item.endToEnd === order.endToEnd)
    expect(await shop.provider.refund(order)).toMatchObject({ kind: 'unknown', code: 'duplicate_id' })
    // Woovi publishes no refusal of a refund; that of Efí counts once the absence of the refund is proved.
    const tooMuch = await shop.provider.refund({ ...order, id: shop.id(), cents: 1751 })
    expect(tooMuch).toMatchObject({ kind: 'unknown' })
  })

  test('a refund that is rejected later is found rejected', async () => {
    const { payload } = await shop.issueCharge(500)
    const { end_to_end: endToEnd } = await shop.control.pay({ payload })
    const order = { id: shop.id(), endToEnd, cents: 500 }
    await shop.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'refund',
      fault: 'accepted_then_rejected',
    })
    expect(await shop.provider.refund(order)).toMatchObject({ kind: 'accepted' })
    expect(await shop.waitForEnd(() => shop.provider.findRefund(order))).toMatchObject({ status: 'rejected' })
  })

  test('forged notifications are recognised', async () => {
    await shop.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'registerNotificationUrl',
      fault: 'notification_forged',
    })
    const { payload } = await shop.issueCharge(100)
    const { end_to_end: endToEnd } = await shop.control.pay({ payload })
    await shop.waitForNotification(item => item.endToEnd === endToEnd)
    // Efí's wrong secret is in the address, which the inbox does not keep: only Woovi's signature can be checked.
    if (dialect === 'woovi')
      await pollUntil(
        () => shop.readNotifications(),
        all => all.filter(it => it.kind === 'forged').length === 2,
      )
  })

  test('notifications are registered once', async () => {
    const url = `${shop.stage.facts.inbox_url}/provider-notifications`
    expect(await shop.provider.registerNotificationUrl(url, 'loja@trilho.test')).toEqual({
      kind: 'registered',
    })
    const charge = await shop.issueCharge(900)
    await shop.control.pay({ payload: charge.payload })
    await shop.waitForNotification(item => item.reference === charge.reference)
    const all = (await shop.readNotifications()).flatMap(it => (it.kind === 'items' ? it.items : []))
    expect(all.filter(item => item.reference === charge.reference)).toHaveLength(1)
  })

  test('balance and statement equal those of the rail', async () => {
    await shop.sendTransfer(shop.transferRequest())
    await shop.sendTransfer(shop.transferRequest('returned@sim.trilho.test'))
    await pollUntil(
      () => shop.control.listStatement('PROVIDER_A'),
      lines => lines.some(({ kind }) => kind === 'return'),
    )
    const settled = await pollUntil(
      () => shop.control.findAccount('shop'),
      ({ held }) => held === 0,
    )
    expect(await shop.provider.balances()).toEqual({
      kind: 'found',
      balance: { availableCents: Math.round(settled.balance * 100), blockedCents: 0 },
    })
    const lines = await shop.control.listStatement('PROVIDER_A')
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const statement = await shop.provider.statement(from, new Date().toISOString())
    if (statement.kind !== 'found') throw new Error(JSON.stringify(statement))
    // Sicoob lists neither sent payments nor what their recipients gave back; Inter shows the latter apart, as `ESTORNO`.
    const isListed = ({ kind }: { kind: string }) =>
      !(kind === 'return' && dialect === 'inter') &&
      (!statement.leavesOutTransfers || !['transfer', 'return'].includes(kind))
    const rail = lines.filter(isListed).map(line => ({
      endToEnd: line.end_to_end!,
      // Inter has no id of ours of a sent payment.
      reference: line.kind === 'transfer' && dialect === 'inter' ? null : line.id,
      direction: ['payment', 'deposit', 'return'].includes(line.kind) ? 'IN' : 'OUT',
      cents: Math.round(line.value * 100),
      ...(line.original_end_to_end ? { returnOf: line.original_end_to_end } : {}),
    }))
    const listed = statement.entries.map(({ at: _, returnId: __, ...entry }) => entry)
    const sorted = (entries: { endToEnd: string }[]) =>
      entries.toSorted((a, b) => a.endToEnd.localeCompare(b.endToEnd))
    expect(sorted(listed)).toEqual(sorted(rail))
    expect(new Set(rail.map(({ direction }) => direction))).toEqual(new Set(['IN', 'OUT']))
  })
})
