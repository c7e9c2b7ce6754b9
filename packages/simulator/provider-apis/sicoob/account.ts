import { z } from 'zod'
import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { reaisFromCents, textFromCents } from '../../amount.ts'
import { formatBrazilianDay } from '../../brazilian-day.ts'
import { listListedMovements } from '../../listed-movements.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { StatementMovement } from '../../rail.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient } from '../../transfers.ts'
import { buildSicoobMessage } from './errors.ts'

/** Creates the handlers of the current account, `/conta-corrente/v4` (Conta Corrente 2.1.1.43). */
export function createSicoobAccountHandlers(
  state: SimulatorState,
): Record<'showBalance' | 'showStatement', (call: SimulatedCall) => SimulatedResponse> {
  const { rail } = state
  return {
    showBalance: ({ account, query }) => {
      const number = query.get('numeroContaCorrente')
      if (number !== null && !isOwnNumber(account, number)) return accountUnknown()
      return respondWithResult(account, {
        saldo: reaisFromCents(account.balanceCents),
        saldoLimite: 0,
        saldoBloqueado: reaisFromCents(account.blockedCents),
      })
    },
    showStatement: call => {
      const { account, params, query } = call
      const range = statementQuery.safeParse({ ...params, ...Object.fromEntries(query) })
      if (!range.success) return buildSicoobMessage(400, '4000', 'Parâmetros de consulta inválidos.')
      const { numeroContaCorrente, mes, ano, diaInicial = 1, diaFinal = 31 } = range.data
      if (!isOwnNumber(account, numeroContaCorrente)) return accountUnknown()
      if (diaInicial > diaFinal) return buildSicoobMessage(400, '4000', 'Dia final anterior ao dia inicial.')
      const month = `${ano}-${String(mes).padStart(2, '0')}`
      const day = (number: number) => `${month}-${String(number).padStart(2, '0')}`
      const movements = listListedMovements(state, account.id)
      const isBefore = (movement: StatementMovement) => formatBrazilianDay(movement.at) < day(diaInicial)
      const isWithin = (movement: StatementMovement) =>
        !isBefore(movement) && formatBrazilianDay(movement.at) <= day(diaFinal)
      const transactions: object[] = movements
        .filter(isWithin)
        .map(movement => presentTransaction(state, account, movement))
      if (call.view.unlistedItem) transactions.push(call.view.unlistedItem)
      return respondWithResult(account, {
        saldoAtual: textFromCents(account.balanceCents),
        saldoBloqueado: textFromCents(account.blockedCents),
        saldoLimite: '0.00',
        saldoAnterior: textFromCents(sumMovements(account, movements.filter(isBefore))),
        saldoBloqueioJudicial: textFromCents(rail.judicialBlockCents(account.id)),
        saldoBloqueioJudicialAnterior: '0.00',
        transacoes: transactions,
      })
    },
  }
}

const dayNumber = z.coerce.number().int().min(1).max(31).optional()
const statementQuery = z.object({
  mes: z.coerce.number().int().min(1).max(12),
  ano: z.coerce.number().int().min(2020).max(2999),
  numeroContaCorrente: z.string(),
  diaInicial: dayNumber,
  diaFinal: dayNumber,
})

function isOwnNumber(account: SimulatedAccount, number: string): boolean {
  return number === readAccountOptions(account).account_number
}

function accountUnknown(): SimulatedResponse {
  return buildSicoobMessage(400, '4004', 'Conta corrente não pertence ao cooperado.')
}

function respondWithResult(account: SimulatedAccount, result: object): SimulatedResponse {
  const body = readAccountOptions(account).wraps_results ? { resultado: result } : result
  return { status: 200, body, headers: { 'content-type': 'application/json;charset=UTF-8' } }
}

function sumMovements({ openingCents }: SimulatedAccount, movements: StatementMovement[]): number {
  return movements.reduce(
    (sum, { direction, cents }) => sum + (direction === 'in' ? cents : -cents),
    openingCents,
  )
}

const DESCRIPTIONS: Record<StatementMovement['kind'], string> = {
  payment: 'PIX RECEB.OUTRA IF',
  deposit: 'PIX RECEB.OUTRA IF',
  transfer: 'PIX EMIT.OUTRA IF',
  refund: 'DEVOLUÇÃO PIX EMITIDA',
  return: 'DEVOLUÇÃO PIX RECEBIDA',
  tariff: 'TARIFA PIX',
  withdrawal: 'SAQUE',
  credit: 'CRÉDITO EM CONTA',
  block: 'BLOQUEIO JUDICIAL',
  unblock: 'DESBLOQUEIO JUDICIAL',
}

/**
 * Presents a movement. The description names no field for the end-to-end id of a PIX; `descInfComplementar` is the text that
 * the account's holder gave.
 */
function presentTransaction(
  { receipts, transfers }: SimulatorState,
  account: SimulatedAccount,
  movement: StatementMovement,
) {
  const { sequence, kind, direction, cents, at, endToEnd, originalEndToEnd } = movement
  const pixId = originalEndToEnd ?? endToEnd
  const receipt = pixId ? receipts.find(account.id, pixId) : undefined
  const transfer = pixId && !receipt ? transfers.findByEndToEnd(pixId) : undefined
  const document =
    receipt?.payerDocument ??
    (transfer ? (JSON.parse(transfer.recipient) as SimulatedRecipient).document : undefined)
  const texts = [
    receipt?.message ?? transfer?.message,
    readAccountOptions(account).end_to_end_in_statement ? endToEnd : null,
  ]
  return {
    transactionId: String(1_000_000 + sequence),
    tipo: direction === 'in' ? 'CREDITO' : 'DEBITO',
    valor: textFromCents(cents),
    data: at,
    dataLote: formatBrazilianDay(at),
    descricao: DESCRIPTIONS[kind],
    numeroDocumento: endToEnd ? 'Pix' : String(sequence),
    ...(document ? { cpfCnpj: document } : {}),
    descInfComplementar: texts.filter(Boolean).join(' '),
  }
}
