import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import type { ReceiptedPix } from '../../../src/providers/port.ts'
import { readPdfText } from '../../support/pdf-text.ts'
import { openSimulatedProvider, SIMULATED_APIS, type SimulatedProvider } from '../support/simulated.ts'

/** The receipts that banks issue, as the published texts of each have them. */

describe.each(['efi', 'woovi'] as const)('receipts of %s', dialect => {
  let shop: SimulatedProvider
  let subjects: (ReceiptedPix & { value: string })[]
  beforeAll(async () => {
    shop = await openSimulatedProvider(dialect)
    const { payload } = await shop.issueCharge(3000)
    const { end_to_end: received } = await shop.control.pay({ payload })
    const refund = { id: shop.id(), endToEnd: received, cents: 1250 }
    await shop.provider.refund(refund)
    const returned = await shop.waitForEnd(() => shop.provider.findRefund(refund))
    const order = shop.transferRequest()
    await shop.sendTransfer(order)
    const sent = await shop.waitForEnd(() => shop.findTransfer(order))
    subjects = [
      { kind: 'PAYMENT', endToEnd: received, value: '30.00' },
      { kind: 'TRANSFER', endToEnd: sent.endToEnd!, value: '10.00' },
      { kind: 'REFUND', endToEnd: returned.endToEnd!, value: '12.50' },
    ]
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  const find = ({ kind, endToEnd }: ReceiptedPix) => shop.provider.findReceipt!({ kind, endToEnd })

  test('are PDF of what was received, sent and given back', async () => {
    for (const subject of subjects) {
      const receipt = await find(subject)
      if (receipt.kind !== 'found') throw new Error(JSON.stringify(receipt))
      const text = await readPdfText(receipt.pdf)
      for (const word of [subject.endToEnd, `R$ ${subject.value}`, 'Simulado']) expect(text).toContain(word)
    }
  })

  test('are none of a PIX that the bank does not know', async () => {
    const { kind } = await find({ kind: 'PAYMENT', endToEnd: `E${'0'.repeat(31)}` })
    // Efí publishes no name of this refusal.
    expect(kind).toBe(dialect === 'woovi' ? 'not_found' : 'no_answer')
  })

  test.each(['broken_body', 'http_500', 'http_429', 'timeout_then_absent', 'unlisted_refusal'] as const)(
    'are none under %s',
    async fault => {
      await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'findReceipt', fault })
      expect((await find(subjects[0]!)).kind).toBe('no_answer')
      expect((await find(subjects[0]!)).kind).toBe('found')
    },
  )
})

test('the other banks have none, as their capabilities say', async () => {
  for (const dialect of SIMULATED_APIS) {
    const shop = await openSimulatedProvider(dialect)
    const hasReceipts = shop.provider.findReceipt !== undefined
    expect([dialect, hasReceipts]).toEqual([dialect, PROVIDER_CAPABILITIES[dialect].issuesReceipts])
    await shop.close()
  }
})
