import { z } from 'zod'
import type { ParsedNotification } from '../adapter/notification-parsing.ts'

/**
 * Inter's notifications: of received PIX, as an object with `pix` by its document and as a bare list by its examples, and of sent
 * payments, as a list by its document and one by one by its examples.
 */
export const INTER_NOTIFICATIONS = { normalize: normalizeReceivedPix, parseOther: parseSentPayments }

/** A sent payment, named by Inter's id of it. */
const sentPaymentSchema = z.object({
  codigoSolicitacao: z.string().min(1).max(200),
  endToEnd: z.string().nullish().catch(null),
})

/** Parses a list of sent payments, or one; undefined for any other body. */
function parseSentPayments(json: unknown): ParsedNotification | undefined {
  if (!Array.isArray(json) && !sentPaymentSchema.safeParse(json).success) return undefined
  const payments = [json].flat().map(item => ({ item, payment: sentPaymentSchema.safeParse(item).data }))
  return {
    items: payments.flatMap(({ item, payment }) => {
      if (!payment) return []
      const { codigoSolicitacao: reference, endToEnd = null } = payment
      return [{ kind: 'transfer', reference, endToEnd, raw: JSON.stringify(item) } as const]
    }),
    unexplained: payments
      .filter(({ payment }) => !payment)
      .map(({ item }) => ({ kind: 'unreadable_item', name: '', body: JSON.stringify(item) })),
  }
}

const receivedPixSchema = z.looseObject({ endToEndId: z.string(), devolucoes: z.unknown().optional() })

/** Rewrites received PIX in the shape of the Central Bank's API: a list under `pix`, of which each has a list of devoluções. */
function normalizeReceivedPix(json: unknown): unknown {
  const received = Array.isArray(json) ? json : (json as { pix?: unknown } | null | undefined)?.pix
  const items = z.array(z.unknown()).safeParse(received).data
  if (!items?.some(item => receivedPixSchema.safeParse(item).success)) return json
  return { pix: items.map(listReturns) }
}

/** Puts a single devolução, as in Inter's examples, into a list. */
function listReturns(item: unknown): unknown {
  const { data } = receivedPixSchema.safeParse(item)
  const isSingle =
    typeof data?.devolucoes === 'object' && data.devolucoes !== null && !Array.isArray(data.devolucoes)
  return isSingle ? { ...data, devolucoes: [data.devolucoes] } : item
}
