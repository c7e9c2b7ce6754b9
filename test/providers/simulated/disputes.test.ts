import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import {
  MARIA,
  openSimulatedProvider,
  pollUntil,
  SIMULATED_APIS,
  type SimulatedProvider,
} from '../support/simulated.ts'

const DISPUTE_APIS = SIMULATED_APIS.filter(api => PROVIDER_CAPABILITIES[api].disputes !== null)

describe.each(DISPUTE_APIS)('%s', dialect => {
  let shop: SimulatedProvider
  beforeAll(async () => {
    shop = await openSimulatedProvider(dialect)
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  const received = async (value: number) =>
    (await shop.control.deposit({ account: 'shop', value })).end_to_end
  const disputed = async (value: number, more: object = {}) => {
    const endToEnd = await received(value)
    const { id } = await shop.control.openDispute({ end_to_end: endToEnd, type: 'SCAM', ...more })
    return { id, endToEnd }
  }
  const facts = async (name: { id: string; endToEnd: string }) => {
    const outcome = await shop.provider.findDispute(name)
    if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome))
    return outcome.dispute
  }
  const reply = (name: { id: string; endToEnd: string }, accept = false) =>
    shop.provider.replyToDispute({ ...name, accept, analysis: 'Entregue com assinatura.', attachments: [] })

  test('a dispute is listed and found, and its blocked amount is shown', async () => {
    const name = await disputed(30, { value: 20, type: 'COERCION_CRIME' })
    const med = {
      ...name,
      kind: 'RECEIVED_MED',
      disputeType: 'COERCION_CRIME',
      cents: 2000,
      status: 'open',
      returns: [],
      isClosed: false,
    }
    expect(await facts(name)).toMatchObject(med)
    const from = new Date(Date.now() - 60_000).toISOString()
    const list = await shop.provider.listDisputes(from, new Date(Date.now() + 1_000).toISOString())
    expect(list.kind === 'found' && list.disputes.filter(({ id }) => id === name.id)).toMatchObject([med])
    expect(await shop.provider.balances()).toMatchObject({ balance: { blockedCents: 2000 } })
    if (dialect === 'woovi')
      await shop.waitForNotification(item => item.kind === 'dispute' && item.reference === name.id)
    await shop.control.decideDispute(name.id, 'disagreed')
    expect(await facts(name)).toMatchObject({ status: 'disagreed' })
    expect(await shop.provider.balances()).toMatchObject({ balance: { blockedCents: 0 } })
  })

  test('another status that the provider documents for the same is read as the same', async () => {
    const name = await disputed(9)
    const isShownAs = async (status: string) => {
      await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'findDispute', fault: 'other_status' })
      expect(await facts(name)).toMatchObject({ ...name, status })
      await shop.control.clearFaults()
    }
    for (let turn = 0; turn < 4; turn++) await isShownAs('open')
    await shop.control.decideDispute(name.id, 'disagreed')
    await isShownAs('disagreed')
    expect(await shop.control.listServedFaults()).toEqual([])
  })

  test('an accepted dispute is returned by the provider itself, notified and in the statement', async () => {
    const name = await disputed(12)
    await shop.control.decideDispute(name.id, 'agreed')
    const { returns, status } = await pollUntil(
      () => facts(name),
      med => med.returns.length > 0,
    )
    expect(status).toBe('agreed')
    expect(returns).toMatchObject([{ cents: 1200, endToEnd: expect.stringMatching(/^D09089356/) }])
    expect((await facts(name)).isClosed).toBe(true)
    await shop.waitForNotification(item => item.endToEnd === name.endToEnd && item.kind !== 'payment')
    const from = new Date(Date.now() - 60_000).toISOString()
    const statement = await shop.provider.statement(from, new Date(Date.now() + 1_000).toISOString())
    const entries = statement.kind === 'found' ? statement.entries : []
    expect(entries.filter(({ endToEnd }) => endToEnd === returns[0]!.endToEnd)).toMatchObject([
      { direction: 'OUT', cents: 1200, returnOf: name.endToEnd },
    ])
  })

  test('a dispute without cover is closed with nothing returned', async () => {
    const name = await disputed(9)
    await shop.control.decideDispute(name.id, 'cancelled')
    expect(await facts(name)).toMatchObject({ status: 'withdrawn' })
    const poor = await received(7)
    const { balance } = await shop.control.findAccount('shop')
    await shop.provider.sendTransfer(shop.transferRequest(MARIA, Math.round(balance * 100)))
    const { id } = await shop.control.openDispute({ end_to_end: poor, type: 'UNDEFINED' })
    await shop.control.decideDispute(id, 'agreed')
    const over = await pollUntil(
      () => facts({ id, endToEnd: poor }),
      // Efí does not say of a failed return who ordered it.
      med => med.isClosed || (med.failedReturnIds ?? []).length > 0,
    )
    expect(over).toMatchObject({ status: 'agreed', returns: [], disputeType: 'UNDEFINED' })
  })

  test.each([true, false])('a reply that accepts: %p', async accept => {
    const name = await disputed(3)
    expect(await reply(name, accept)).toEqual({ kind: 'accepted' })
    const [there] = await shop.control.findDispute(name.id)
    // Efí accepts no acceptance: it is expressed by submitting no defence.
    expect(there?.replies).toHaveLength(dialect === 'efi' && accept ? 0 : 1)
    if (dialect === 'efi' && accept) return
    expect(there?.replies[0]?.text).toContain('Entregue com assinatura.')
    if (dialect === 'efi') expect(there?.replies[0]?.accept).toBe(false)
    else expect(there?.replies[0]?.text).toMatch(accept ? /^O recebedor concorda/ : /não concorda/)
  })

  test('a reply whose answer got lost exists, and repeated it still exists once', async () => {
    const name = await disputed(3)
    // Woovi's reply is two calls: the PDF, and the evidence that names it.
    for (const fault of dialect === 'woovi'
      ? (['slow', 'timeout_then_done'] as const)
      : ['timeout_then_done' as const])
      await shop.control.addFault({
        provider: 'PROVIDER_A',
        operation: 'replyToDispute',
        fault,
        delay_ms: 300,
      })
    const lost = await pollUntil(
      () => reply(name),
      outcome => outcome.kind === 'accepted',
    )
    expect(lost).toEqual({ kind: 'accepted' })
    const [there] = await shop.control.findDispute(name.id)
    const answers = new Set(there?.replies.map(({ text, documents }) => JSON.stringify([text, documents])))
    expect(answers.size).toBe(1)
  })

  test('after the deadline a reply is refused finally', async () => {
    const name = await disputed(3, { due_at: new Date(Date.now() - 1).toISOString() })
    expect(await reply(name)).toMatchObject({ kind: 'rejected', finality: 'final', code: 'reply_refused' })
    const absent = { ...name, id: '8ad75c93-6150-422c-929e-822f361c7a6b' }
    expect(await reply(absent)).toMatchObject(
      dialect === 'woovi'
        ? { kind: 'unknown', code: 'http_400' }
        : { kind: 'rejected', finality: 'final', code: 'med_not_found' },
    )
    expect(await shop.provider.findDispute(absent)).toEqual({ kind: 'not_found' })
  })

  test('a transfer that we dispute ourselves comes back', async () => {
    await received(10)
    const order = shop.transferRequest(MARIA, 1000)
    await shop.provider.sendTransfer(order)
    const { endToEnd } = await shop.waitForEnd(() => shop.provider.findTransfer({ id: order.id }))
    const { id } = await shop.control.openDispute({ end_to_end: endToEnd, type: 'UNAUTHORIZED_ACCESS' })
    expect(await facts({ id, endToEnd })).toMatchObject({
      kind: 'REQUESTED_MED',
      disputeType: 'UNAUTHORIZED_ACCESS',
      status: 'open',
    })
    await shop.control.decideDispute(id, 'agreed')
    expect(await facts({ id, endToEnd })).toMatchObject({
      status: 'agreed',
      isClosed: true,
      returns: [{ cents: 1000 }],
    })
  })

  const requestable = dialect === 'woovi' ? test : test.skip
  const sent = async (cents: number) => {
    await received(cents / 100)
    const order = shop.transferRequest(MARIA, cents)
    await shop.provider.sendTransfer(order)
    return (await shop.waitForEnd(() => shop.provider.findTransfer({ id: order.id }))).endToEnd
  }
  const requestOf = (endToEnd: string) => ({ endToEnd, situation: 'SCAM' as const, details: 'Loja falsa.' })
  const referenceTo = (endToEnd: string) => ({ id: endToEnd, endToEnd, isRequested: true as const })

  requestable('a transfer whose money we ask back returns from several accounts', async () => {
    const endToEnd = await sent(1000)
    expect(await shop.provider.findDispute(referenceTo(endToEnd))).toEqual({ kind: 'not_found' })
    const outcome = await shop.provider.requestDispute!(requestOf(endToEnd))
    expect(outcome).toMatchObject({ kind: 'accepted', dispute: { status: 'open', endToEnd } })
    expect(await facts(referenceTo(endToEnd))).toMatchObject({
      status: 'analysing',
      recovery: { stage: 'AWAITING_ANALYSIS' },
    })
    // A second request is the first one.
    expect(await shop.provider.requestDispute!(requestOf(endToEnd))).toMatchObject({ kind: 'accepted' })
    const { id } = await facts(referenceTo(endToEnd))
    await shop.control.decideDispute(id, 'agreed', undefined, [4, 3])
    expect(await facts(referenceTo(endToEnd))).toMatchObject({
      id,
      status: 'agreed',
      isClosed: true,
      returns: [{ cents: 400 }, { cents: 300 }],
      recovery: { stage: 'COMPLETED' },
    })
    expect(await shop.provider.cancelDispute!(referenceTo(endToEnd))).toMatchObject({
      dispute: { status: 'agreed' },
    })
  })

  requestable('a request whose answer is lost is found, and its cancellation too', async () => {
    const endToEnd = await sent(500)
    const lose = (operation: 'requestDispute' | 'cancelDispute') =>
      shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: 'timeout_then_done', times: 1 })
    await lose('requestDispute')
    expect(await shop.provider.requestDispute!(requestOf(endToEnd))).toMatchObject({ kind: 'unknown' })
    expect(await facts(referenceTo(endToEnd))).toMatchObject({ status: 'analysing' })
    await lose('cancelDispute')
    expect(await shop.provider.cancelDispute!(referenceTo(endToEnd))).toMatchObject({ kind: 'no_answer' })
    expect(await shop.provider.cancelDispute!(referenceTo(endToEnd))).toMatchObject({
      dispute: { status: 'withdrawn' },
    })
  })

  requestable('a PIX that the account has not sent cannot be asked back', async () => {
    const endToEnd = await received(3)
    expect(await shop.provider.requestDispute!(requestOf(endToEnd))).toMatchObject({
      kind: 'rejected',
      code: 'dispute_refused',
    })
  })

  test('a failed lookup is no answer', async () => {
    for (const operation of ['listDisputes', 'findDispute'] as const)
      await shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: 'refused', times: 3 })
    const name = { id: 'any', endToEnd: null }
    expect(await shop.provider.findDispute(name)).toMatchObject({
      kind: 'no_answer',
      code: 'provider_denied',
    })
    expect(
      await shop.provider.listDisputes(new Date(0).toISOString(), new Date().toISOString()),
    ).toMatchObject({
      kind: 'no_answer',
      code: 'provider_denied',
    })
  })
})
