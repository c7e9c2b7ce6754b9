import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { SimulatorState } from '../../state.ts'
import { parseResendBody, type ResendOrder } from './schemas.ts'

/** "O reenvio de webhook para uma transação fica disponível por um prazo máximo de 30 dias." */
const MAX_AGE_MS = 30 * 86_400_000

/**
 * Creates the handler of `POST /v2/gn/webhook/reenviar` ("Reenviar webhook Pix"). Each notification is attempted
 * once; that of a return contains all returns of its PIX. An id that the account does not have, or an older one, is
 * ignored.
 */
export function createEfiResendHandler(state: SimulatorState): (call: SimulatedCall) => SimulatedResponse {
  return ({ account, body }) => {
    const parsed = parseResendBody(body)
    if ('refusal' in parsed) return parsed.refusal
    const { tipo: type, e2eids } = parsed.value
    for (const endToEnd of new Set(e2eids)) {
      const event = findEvent(state, account, { type, endToEnd })
      if (event) state.resendNotification(event)
    }
    return { status: 202 }
  }
}

function findEvent(
  { receipts, refunds, returns, transfers, now }: SimulatorState,
  account: SimulatedAccount,
  { type, endToEnd }: { type: ResendOrder['tipo']; endToEnd: string },
): RailEvent | undefined {
  const isRecent = (at: string) => now().getTime() - Date.parse(at) <= MAX_AGE_MS
  switch (type) {
    case 'PIX_RECEBIDO':
    case 'DEVOLUCAO_ENVIADA': {
      const receipt = receipts.findListed(account.id, endToEnd)
      if (!receipt || !isRecent(receipt.at)) return undefined
      if (type === 'PIX_RECEBIDO') return { kind: 'payment', account, receipt }
      const allRefunds = refunds.listByReceipt(receipt)
      const changed = allRefunds.at(-1)
      return changed && { kind: 'refund', account, receipt, refunds: allRefunds, changed }
    }
    case 'PIX_ENVIADO':
    case 'DEVOLUCAO_RECEBIDA': {
      const transfer = transfers.findByEndToEnd(endToEnd)
      if (transfer?.accountId !== account.id || !isRecent(transfer.requestedAt)) return undefined
      if (type === 'PIX_ENVIADO')
        return transfer.status === 'in_process' ? undefined : { kind: 'transfer', account, transfer }
      const allReturns = returns.listReturns(transfer)
      return allReturns.length > 0 ? { kind: 'return', account, transfer, returns: allReturns } : undefined
    }
    default:
      return type satisfies never
  }
}
