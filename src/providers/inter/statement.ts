import { z } from 'zod'
import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import type { FindPaymentOutcome, IncomingPix, StatementEntry } from '../../domain/providers/provider.ts'
import type { AccountEntry, AccountEntryKind } from '../../domain/reconciliation/account-entry.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { optionalField, optionalText } from '../adapter/fields.ts'
import { createListReader, type Paging, type ProviderList } from '../adapter/list-reader.ts'
import { createPartySchema } from '../adapter/party.ts'
import { createPeriodFilter } from '../adapter/statement-period.ts'
import { centsSchema } from '../bacen/schemas.ts'
import { readBacenEntries } from '../bacen/statement.ts'
import type { Provider } from '../port.ts'
import type { InterCall } from './answers.ts'
import { INTER_BANKING_PATH, type InterClient } from './client.ts'

/**
 * Creates the calls about what the account's statement lists (`extrato/completo`), which has every movement by its day, and PIX by
 * their end-to-end ids. The Pix API lists only what paid a charge, but with its time and its devoluções.
 */
export function createInterStatement(client: InterClient, now: () => number) {
  const readTransactions = createListReader(client, transactionPaging)

  return {
    async statement(from, to) {
      const received = await readBacenEntries(client, { from, to })
      if (received.kind === 'no_answer') return received
      const { entries } = received
      const accountEntries: AccountEntry[] = []
      const knownIds = new Set(entries.map(({ endToEnd }) => endToEnd))
      // What moved at the end of a day may be listed under the next one.
      const end = new Date(Math.min(now(), Date.parse(to) + DAY)).toISOString()
      const transactions = await readTransactions(transactionList, { from, to: end })
      if (transactions.kind === 'no_answer') return transactions
      for (const transaction of transactions.items) {
        if (knownIds.has(transaction.endToEnd)) continue
        if (transaction.type === 'PIX' && transaction.endToEnd.startsWith('E'))
          entries.push(toEntry(transaction))
        else accountEntries.push(toAccountEntry(transaction))
      }
      const isInPeriod = createPeriodFilter(from, to)
      return {
        kind: 'found',
        entries: entries.filter(({ at }) => isInPeriod(at)),
        // Their times are days, of which the first has begun before the period.
        accountEntries: accountEntries.filter(({ at }) => Date.parse(at) <= Date.parse(to)),
      }
    },

    /** Looks a received PIX up in the statement of the day of its end-to-end id and of the next one. */
    async findListedPayment(endToEnd: string): Promise<FindPaymentOutcome> {
      const madeAtMs = timeOfRailId(endToEnd)
      if (madeAtMs === null) return { kind: 'not_found' }
      const end = Math.max(madeAtMs, Math.min(now(), madeAtMs + DAY))
      const period = { from: new Date(madeAtMs).toISOString(), to: new Date(end).toISOString() }
      const filter = { tipoTransacao: 'PIX', tipoOperacao: 'C' }
      const list = { ...transactionList, call: 'findListedPayment', reference: endToEnd, filter } as const
      const outcome = await readTransactions(list, period)
      if (outcome.kind === 'no_answer') return outcome
      const found = outcome.items.find(one => one.endToEnd === endToEnd && one.direction === 'IN')
      return found ? { kind: 'found', payment: toIncomingPix(found) } : { kind: 'not_found' }
    },
  } satisfies Pick<Provider, 'statement'> & Record<string, unknown>
}

const PAGE_SIZE = 500
/** Inter lists at most 10,000 transactions of at most 90 days by pages. */
const MAX_TRANSACTIONS = 10_000

const transactionPaging: Paging<{ page: number }> = {
  maxRequests: 100,
  firstPosition: { page: 0 },
  buildQuery: ({ page }, period) => ({
    dataInicio: toBrasiliaDay(period!.from),
    dataFim: toBrasiliaDay(period!.to),
    pagina: String(page),
    tamanhoPagina: String(PAGE_SIZE),
  }),
  readPage(json) {
    const { data } = pageSchema.safeParse(json)
    return data && { rows: data.transacoes, total: data.totalElementos, hasNextPage: !data.ultimaPagina }
  },
  getNextPosition({ page }, { total, hasNextPage, hasNewItems }) {
    if ((total ?? 0) > MAX_TRANSACTIONS) return 'too_long'
    if (!hasNextPage) return 'end'
    return hasNewItems ? { page: page + 1 } : 'endless'
  },
}
const pageSchema = z.object({
  transacoes: z.array(z.unknown()),
  ultimaPagina: z.boolean(),
  totalElementos: z.int().min(0),
})

/** Formats the day of an instant in Brasília, whose clock is three hours behind UTC all year. */
function toBrasiliaDay(instant: string): string {
  return new Date(Date.parse(instant) - 3 * 3_600_000).toISOString().slice(0, 10)
}

const optionalDay = optionalField(z.iso.date())

/** The details of a PIX ("DetalhePix"); its payer is null where neither a name nor a document is reported. */
const pixDetailsSchema = z
  .looseObject({ endToEndId: optionalText, txId: optionalText, chavePixRecebedor: optionalText })
  .transform(({ endToEndId, txId, chavePixRecebedor, ...details }) => ({
    endToEnd: endToEndId ?? '',
    txid: txId || null,
    pixKey: chavePixRecebedor ?? '',
    payer: payerSchema.parse(details),
  }))
const payerSchema = createPartySchema({
  name: 'nomePagador',
  document: 'cpfCnpjPagador',
  bankName: 'nomeEmpresaPagador',
}).transform(payer => (payer?.name || payer?.document ? payer : null))

/** A transaction: of a PIX with its end-to-end id, of any other with Inter's id and a day, which begins at 03:00 UTC. */
const transactionSchema = z
  .object({
    idTransacao: optionalText,
    dataTransacao: optionalDay,
    dataInclusao: optionalDay,
    tipoTransacao: z.string().min(1),
    tipoOperacao: z.enum(['C', 'D']),
    valor: centsSchema,
    detalhes: optionalField(pixDetailsSchema),
  })
  .transform(({ tipoTransacao: type, tipoOperacao, valor: cents, detalhes, ...row }, context) => {
    const details = detalhes ?? { endToEnd: '', txid: null, pixKey: '', payer: null }
    const day = row.dataTransacao ?? row.dataInclusao
    const dayStart = day ? Date.parse(`${day}T03:00:00Z`) : null
    const [id, at] =
      type === 'PIX' ? [details.endToEnd, timeOfRailId(details.endToEnd)] : [row.idTransacao, dayStart]
    if (at !== null && id) {
      const direction = tipoOperacao === 'C' ? ('IN' as const) : ('OUT' as const)
      return { ...details, type, direction, cents, id, at: new Date(at).toISOString() }
    }
    context.issues.push({ code: 'custom', message: 'no id or time', input: type })
    return z.NEVER
  })
type InterTransaction = z.infer<typeof transactionSchema>

const transactionList: ProviderList<InterCall, InterTransaction> = {
  call: 'statement',
  path: `${INTER_BANKING_PATH}/extrato/completo`,
  field: 'transacoes',
  row: transactionSchema,
  keyOf: ({ type, direction, id }) => [type, direction, id].join('/'),
  toItem: transaction => transaction,
}

/** Types whose direction is all that is to be known of them. Left out: ESTORNO and OUTROS, of which nothing says what they undo. */
const BOOKED_TYPES = [
  'DEBITO_EM_CONTA',
  'DEPOSITO_BOLETO',
  'ANTECIPACAO_RECEBIVEIS',
  'ANTECIPACAO_RECEBIVEIS_CARTAO',
  'BOLETO_COBRANCA',
  'CAMBIO',
  'CASHBACK',
  'CHEQUE',
  'DOMICILIO_CARTAO',
  'FINANCIAMENTO',
  'IMPOSTO',
  'INTERPAG',
  'INVESTIMENTO',
  'JUROS',
  'MAQUININHA_GRANITO',
  'MULTA',
  'PAGAMENTO',
  'PROVENTOS',
  'SAQUE',
  'COMPRA_DEBITO',
  'DEBITO_AUTOMATICO',
  'TARIFA',
  'TRANSFERENCIA',
]

/** Converts a transaction that is no PIX, or a return of a PIX that no list explains: its own id is that of the rail. */
function toAccountEntry({ type, direction, id, endToEnd, cents, at }: InterTransaction): AccountEntry {
  return { id, kind: getEntryKind(type, direction), type, cents, at, ...(endToEnd && { endToEnd }) }
}

function getEntryKind(type: string, direction: InterTransaction['direction']): AccountEntryKind {
  if (!BOOKED_TYPES.includes(type)) return 'unlisted'
  if (direction === 'IN') return 'credit'
  return type === 'TARIFA' ? 'tariff' : 'withdrawal'
}

/** Converts a PIX. A sent one has no id of ours. */
function toEntry({ direction, endToEnd, cents, at, txid }: InterTransaction): StatementEntry {
  return { endToEnd, reference: direction === 'IN' ? txid : null, direction, cents, at }
}

function toIncomingPix({ endToEnd, cents, at, txid, payer, pixKey }: InterTransaction): IncomingPix {
  return { endToEnd, txid, reference: txid, cents, status: 'settled', at, payer, pixKey }
}
