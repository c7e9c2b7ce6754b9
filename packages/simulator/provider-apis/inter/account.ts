import { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import { reaisFromCents, textFromCents } from '../../amount.ts'
import { formatBrazilianDay, getBrazilianDayStart } from '../../brazilian-day.ts'
import { listListedMovements } from '../../listed-movements.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { StatementMovement } from '../../rail.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient } from '../../transfers.ts'
import type { BacenViolation } from '../bacen/problems.ts'
import * as errors from './errors.ts'
import { findPaymentOfTransfer } from './payment-store.ts'

/** Creates the handlers of `/banking/v2/saldo` and `/banking/v2/extrato/completo`; the statement is paged and has no scroll. */
export function createInterAccountHandlers(
  state: SimulatorState,
): Record<'showBalance' | 'showStatement', (call: SimulatedCall) => SimulatedResponse> {
  return {
    showBalance: ({ account, query }) => showBalance(state, account, query),
    showStatement: call => showStatement(state, call),
  }
}

function showBalance(
  state: SimulatorState,
  account: SimulatedAccount,
  query: URLSearchParams,
): SimulatedResponse {
  const parsed = z.object({ dataSaldo: z.iso.date().optional() }).safeParse(Object.fromEntries(query))
  if (!parsed.success) return refuseQuery(parsed.error)
  const { dataSaldo: day } = parsed.data
  if (day !== undefined) {
    const cents = listListedMovements(state, account.id)
      .filter(({ at }) => formatBrazilianDay(at) <= day)
      .reduce(
        (sum, { direction, cents }) => sum + (direction === 'in' ? cents : -cents),
        account.openingCents,
      )
    return { status: 200, body: { disponivel: reaisFromCents(cents) } }
  }
  const judicialCents = state.rail.judicialBlockCents(account.id)
  return {
    status: 200,
    body: {
      disponivel: reaisFromCents(account.balanceCents),
      bloqueadoCheque: 0,
      bloqueadoJudicialmente: reaisFromCents(judicialCents),
      bloqueadoAdministrativo: reaisFromCents(account.blockedCents - judicialCents),
      limite: 0,
    },
  }
}

const MAX_STATEMENT_DAYS = 90
const DAY_MS = 86_400_000
const statementQuery = z.object({
  dataInicio: z.iso.date(),
  dataFim: z.iso.date(),
  pagina: z.coerce.number().int().min(0).default(0),
  tamanhoPagina: z.coerce.number().int().min(1).max(10_000).default(50),
  tipoOperacao: z.enum(['D', 'C']).optional(),
  tipoTransacao: z.string().optional(),
})

function showStatement(state: SimulatorState, { account, query, view }: SimulatedCall): SimulatedResponse {
  const parsed = statementQuery.safeParse(Object.fromEntries(query))
  if (!parsed.success) return refuseQuery(parsed.error)
  const { dataInicio, dataFim, pagina, tamanhoPagina, tipoOperacao, tipoTransacao } = parsed.data
  const days = (getBrazilianDayStart(dataFim) - getBrazilianDayStart(dataInicio)) / DAY_MS
  if (days < 0 || days > MAX_STATEMENT_DAYS)
    return errors.invalidData({ razao: 'O período deve ter até 90 dias', propriedade: 'dataFim' })
  const size = Math.min(tamanhoPagina, view.pageSize ?? tamanhoPagina)
  const all = listListedMovements(state, account.id)
    .filter(({ at }) => dataInicio <= formatBrazilianDay(at) && formatBrazilianDay(at) <= dataFim)
    .map(movement => presentTransaction(state, account, movement))
    .filter(
      one =>
        (tipoOperacao ?? one.tipoOperacao) === one.tipoOperacao &&
        (tipoTransacao ?? one.tipoTransacao) === one.tipoTransacao,
    )
  const page: object[] = all.slice(pagina * size, (pagina + 1) * size)
  if (view.unlistedItem) page.push(view.unlistedItem)
  const pageCount = Math.max(1, Math.ceil(all.length / size))
  return {
    status: 200,
    body: {
      totalPaginas: pageCount,
      totalElementos: all.length,
      ultimaPagina: pagina >= pageCount - 1,
      primeiraPagina: pagina === 0,
      tamanhoPagina: size,
      numeroDeElementos: page.length,
      transacoes: page,
    },
  }
}

const TITLES: Record<StatementMovement['kind'], [type: string, title: string]> = {
  payment: ['PIX', 'Pix recebido'],
  deposit: ['PIX', 'Pix recebido'],
  transfer: ['PIX', 'Pix enviado'],
  refund: ['PIX', 'Devolução de Pix enviada'],
  return: ['PIX', 'Devolução de Pix recebida'],
  tariff: ['TARIFA', 'Tarifa Pix'],
  withdrawal: ['SAQUE', 'Saque'],
  credit: ['OUTROS', 'Crédito em conta'],
  block: ['OUTROS', 'Bloqueio judicial'],
  unblock: ['OUTROS', 'Desbloqueio judicial'],
}

/** Presents a movement ("TransacaoCompleta"); it has a day and no time. */
function presentTransaction(state: SimulatorState, account: SimulatedAccount, movement: StatementMovement) {
  const { sequence, kind, direction, cents, at, endToEnd } = movement
  const [tipoTransacao, titulo] = TITLES[kind]
  const day = formatBrazilianDay(at)
  return {
    idTransacao: Buffer.from(`inter-${sequence}`).toString('base64url'),
    dataInclusao: day,
    dataTransacao: day,
    tipoTransacao,
    tipoOperacao: direction === 'in' ? 'C' : 'D',
    valor: textFromCents(cents),
    titulo,
    descricao: titulo.toUpperCase(),
    numeroDocumento: String(sequence),
    ...(endToEnd ? { detalhes: presentPixDetails(state, account, movement) } : {}),
  }
}

/** Presents the details of a PIX ("DetalhePix"). */
function presentPixDetails(
  { receipts, transfers, store }: SimulatorState,
  account: SimulatedAccount,
  { endToEnd, originalEndToEnd, kind }: StatementMovement,
) {
  const pixId = (originalEndToEnd ?? endToEnd)!
  const receipt = receipts.find(account.id, pixId)
  const transfer = receipt ? undefined : transfers.findByEndToEnd(pixId)
  const details = { tipoDetalhe: 'COMPLETE', endToEndId: endToEnd! }
  if (receipt)
    return {
      ...details,
      ...(receipt.txid ? { txId: receipt.txid } : {}),
      nomePagador: receipt.payerName,
      cpfCnpjPagador: receipt.payerDocument,
      chavePixRecebedor: receipt.key,
      nomeRecebedor: account.holderName,
      cpfCnpjRecebedor: account.holderDocument,
      ...(receipt.message ? { descricaoPix: receipt.message } : {}),
    }
  if (!transfer) return details
  const recipient = JSON.parse(transfer.recipient) as SimulatedRecipient
  const payment = kind === 'transfer' ? findPaymentOfTransfer(store, transfer) : undefined
  return {
    ...details,
    nomePagador: account.holderName,
    cpfCnpjPagador: account.holderDocument,
    ...(recipient.key === null
      ? { origemMovimentacao: 'DADOS_BANCARIOS' }
      : { origemMovimentacao: 'CHAVE', chavePixRecebedor: recipient.key }),
    nomeRecebedor: recipient.name,
    cpfCnpjRecebedor: recipient.document,
    ...(transfer.message ? { descricaoPix: transfer.message } : {}),
    ...(payment ? { codigoSolicitacao: payment.code } : {}),
  }
}

function refuseQuery(error: z.ZodError): SimulatedResponse {
  const violacoes: BacenViolation[] = error.issues.map(({ path, message }) => ({
    razao: message,
    propriedade: path.join('.'),
  }))
  return errors.invalidData(...violacoes)
}
