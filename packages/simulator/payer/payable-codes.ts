import { z } from 'zod'
import { centsFromText } from '../amount.ts'
import { parseBrCode } from '../br-code.ts'
import { findKeyHolder } from '../key-holder.ts'
import type { SimulatorState } from '../state.ts'
import type { SimulatedRecipient } from '../transfers.ts'
import { readForeignDocument } from './foreign-codes.ts'

/** A code as a provider reads it to pay it. `cents` null: the payer chooses the value. */
export type ReadableCode =
  | {
      kind: 'payable'
      isStatic: boolean
      cents: number | null
      recipient: SimulatedRecipient & { key: string }
    }
  | { kind: 'not_payable'; why: string }

type CodeState = Pick<SimulatorState, 'accounts' | 'charges' | 'signer' | 'now'>

/** What is read of the document at a location (pix-api, CobPayload and CobVPayload). */
const chargeDocument = z.object({
  txid: z.string(),
  chave: z.string(),
  status: z.literal('ATIVA'),
  calendario: z.object({ criacao: z.string(), expiracao: z.number().optional() }),
  valor: z.object({
    original: z.string(),
    final: z.string().optional(),
    modalidadeAlteracao: z.number().optional(),
  }),
})

/** Reads a code at its receiver's bank: a charge of a simulated account, a code of another bank, or a key. */
export function readPayableCode(state: CodeState, payload: string): ReadableCode {
  const { accounts, charges, now } = state
  const code = parseBrCode(payload)
  if (code.kind === 'invalid') return { kind: 'not_payable', why: code.reason }
  if (code.key !== null) {
    const txid = code.txid === '***' ? null : code.txid
    const recipient = {
      key: code.key,
      ...findKeyHolder(accounts, code.key),
      code: { payload, txid, token: null },
    }
    return { kind: 'payable', isStatic: true, cents: code.totalCents, recipient }
  }
  const token = /\/qr\/v2\/([0-9a-f]{32})$/.exec(code.url ?? '')?.[1]
  const charge = token === undefined ? undefined : charges.findByToken(token)
  if (charge) {
    const why = charges.notPayableReason(charge)
    if (why !== null) return { kind: 'not_payable', why }
    const { key, txid } = charge
    const { cents } = charges.computeCost(charge)
    const recipient = { key, ...findKeyHolder(accounts, key), code: { payload, txid, token: charge.token } }
    return { kind: 'payable', isStatic: false, cents: cents || null, recipient }
  }
  const { data } = chargeDocument.safeParse(readForeignDocument(code.url ?? '', state))
  if (!data) return { kind: 'not_payable', why: 'unknown' }
  const { chave: key, txid, valor, calendario } = data
  const { criacao, expiracao } = calendario
  if (expiracao !== undefined && now().getTime() > Date.parse(criacao) + expiracao * 1_000)
    return { kind: 'not_payable', why: 'expired' }
  const cents = valor.modalidadeAlteracao === 1 ? null : centsFromText(valor.final ?? valor.original)
  return {
    kind: 'payable',
    isStatic: false,
    cents,
    recipient: { key, ...findKeyHolder(accounts, key), code: { payload, txid, token: null } },
  }
}
