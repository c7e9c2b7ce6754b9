import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { Receipt } from '../../receipts.ts'
import type { RefundAcceptance } from '../../refunds.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { buildBacenListPage } from './list-page.ts'
import type { BacenProfile } from './profile.ts'
import { bacenRefundBody, parseBacenRequest } from './schemas.ts'

const REFUND_ID_PATTERN = /^[a-zA-Z0-9]{1,35}$/

type BacenReceivedPixHandlers = Record<
  'show' | 'list' | 'refund' | 'showRefund',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of received PIX and their devoluções, `/pix`. */
export function createBacenReceivedPixHandlers(
  { receipts, refunds }: SimulatorState,
  profile: BacenProfile,
): BacenReceivedPixHandlers {
  const { refusals, isReceiptListed = () => true, txidParameter = 'txid' } = profile
  const findListed = (account: SimulatedAccount, endToEnd: string) => {
    const receipt = receipts.findListed(account.id, endToEnd)
    return receipt && isReceiptListed(receipt) ? receipt : undefined
  }
  const presentReceipt = (account: SimulatedAccount, receipt: Receipt) =>
    profile.presentReceivedPix(account, receipt, refunds.listListedByReceipt(receipt))

  return {
    show: ({ account, params }) => {
      const receipt = findListed(account, params.e2eId!)
      return receipt ? { status: 200, body: presentReceipt(account, receipt) } : refusals.pixNotFound()
    },
    list: call =>
      buildBacenListPage(
        call,
        {
          field: 'pix',
          between: range => receipts.listBetween(call.account.id, range).filter(isReceiptListed),
          matches: receipt =>
            matchesQuery(receipt, {
              query: call.query,
              txid: call.query.get(txidParameter),
              isRefunded: refunds.listByReceipt(receipt).length > 0,
            }),
          present: receipt => presentReceipt(call.account, receipt),
        },
        { refusals, subject: 'pix' },
      ),
    refund: ({ account, params, body }, outcome) => {
      const parsed = parseBacenRequest(bacenRefundBody, body, { refusals, subject: 'devolucao' })
      if ('refusal' in parsed) return parsed.refusal
      const { e2eId: endToEnd, id } = params as { e2eId: string; id: string }
      const { valor: cents, descricao: description, natureza } = parsed.value
      if (!REFUND_ID_PATTERN.test(id))
        return refuseRefund(profile, 'id', 'O id da devolução deve ter 1 a 35 letras e dígitos.')
      if (natureza === 'RETIRADA')
        return refuseRefund(profile, 'natureza', 'A natureza RETIRADA não se aplica a um Pix comum.')
      if (cents === 0) return refusals.refundAmountZero()
      const receipt = receipts.find(account.id, endToEnd)
      if (receipt && !isReceiptListed(receipt)) return refusals.pixNotFound()
      const plannedOutcome = profile.findRefundOutcome?.(account, cents) ?? outcome
      const request = { accountId: account.id, endToEnd, id, cents, description }
      return respondToRefund(profile, account, refunds.accept({ ...request, outcome: plannedOutcome }))
    },
    showRefund: ({ account, params }) => {
      const { e2eId: endToEnd, id } = params as { e2eId: string; id: string }
      const refund = refunds.findListed({ accountId: account.id, endToEnd, id })
      return refund
        ? { status: 200, body: profile.presentRefund(account, refund) }
        : refusals.refundNotFound()
    },
  }
}

function respondToRefund(
  profile: BacenProfile,
  account: SimulatedAccount,
  acceptance: RefundAcceptance,
): SimulatedResponse {
  const { refusals } = profile
  switch (acceptance.kind) {
    case 'accepted':
      return { status: 201, body: profile.presentRefund(account, acceptance.refund) }
    case 'no_such_receipt':
      return refusals.pixNotFound()
    case 'id_in_use':
      return refusals.refundIdInUse()
    case 'over_the_receipt':
      return refuseRefund(
        profile,
        'valor',
        'O valor da devolução, somado aos já devolvidos, excederia o valor do Pix.',
      )
    case 'too_late':
      return refuseRefund(
        profile,
        'e2eid',
        'A devolução está fora da janela de 90 dias desde a data de liquidação original.',
      )
    default:
      return acceptance satisfies never
  }
}

function refuseRefund({ refusals }: BacenProfile, field: string, razao: string): SimulatedResponse {
  return refusals.refundInvalid({ razao, propriedade: `pix.devolucao.${field}` })
}

function matchesQuery(
  receipt: Receipt,
  { query, txid, isRefunded }: { query: URLSearchParams; txid: string | null; isRefunded: boolean },
): boolean {
  const document = query.get('cpf') ?? query.get('cnpj')
  return (
    (txid ?? receipt.txid) === receipt.txid &&
    (query.get('txIdPresente') ?? String(receipt.txid !== null)) === String(receipt.txid !== null) &&
    (query.get('devolucaoPresente') ?? String(isRefunded)) === String(isRefunded) &&
    (document ?? receipt.payerDocument) === receipt.payerDocument
  )
}
