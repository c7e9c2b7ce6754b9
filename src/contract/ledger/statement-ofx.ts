import { Readable } from 'node:stream'
import type { DayRange, LedgerLine } from '../../db/repositories/ledger-lines.ts'
import type { OpenedStatement } from '../../db/repositories/ledger-statement.ts'
import { textFromCents } from '../../domain/ledger/money.ts'
import type { MovementReason } from '../../domain/ledger/movement.ts'
import type { Party } from '../../domain/pix/party.ts'
import { SECOND } from '../../domain/shared/intervals.ts'
import { createLocalClock } from '../shared/time-zone.ts'
import { type ShownLedgerLine, showLedgerLine } from './ledger-line.ts'

/**
 * The statement as OFX 1.02 (SGML), which Brazil's accounting software imports: every element is closed, and texts are
 * ASCII, because readers differ in how they take the encoding of the header.
 */

const HEADER = [
  ...['OFXHEADER:100', 'DATA:OFXSGML', 'VERSION:102', 'SECURITY:NONE', 'ENCODING:USASCII', 'CHARSET:1252'],
  ...['COMPRESSION:NONE', 'OLDFILEUID:NONE', 'NEWFILEUID:NONE'],
]

/** The statement of one provider account. */
type OfxStatement = {
  provider: ShownLedgerLine['provider']
  virtualAccount: Party | null
  from: Date
  to: Date
}

/** Creates the functions that write the parts of a file, in the order in which a file has them. */
function createOfxWriter({ timeZone, at }: { timeZone: string; at: Date }) {
  const clock = createLocalClock(timeZone)
  const dayOf = (moment: Date) => clock(moment).slice(0, 'YYYY-MM-DD'.length)
  // A day without a time, as banks write it: readers that convert times to UTC would move an evening to the next day.
  const day = (moment: Date) => dayOf(moment).replaceAll('-', '')
  const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>'
  return {
    begin: () =>
      `${HEADER.join('\r\n')}\r\n\r\n<OFX>\r\n<SIGNONMSGSRSV1><SONRS>${status}${element('DTSERVER', day(at))}` +
      `${element('LANGUAGE', 'POR')}</SONRS></SIGNONMSGSRSV1>\r\n<BANKMSGSRSV1>\r\n`,

    beginStatement: ({ provider, virtualAccount, from, to }: OfxStatement) =>
      `<STMTTRNRS>${element('TRNUID', provider.uuid)}${status}<STMTRS>${element('CURDEF', 'BRL')}\r\n` +
      `<BANKACCTFROM>${element('BANKID', limit(virtualAccount?.bank.code || virtualAccount?.bank.ispb || '000', 9))}` +
      `${virtualAccount?.account_agency ? element('BRANCHID', limit(virtualAccount.account_agency, 22)) : ''}` +
      `${element('ACCTID', limit(virtualAccount?.account_number || provider.uuid.replaceAll('-', ''), 22))}` +
      `${element('ACCTTYPE', 'CHECKING')}</BANKACCTFROM>\r\n` +
      `<BANKTRANLIST>${element('DTSTART', day(from))}${element('DTEND', day(to))}\r\n`,

    /**
     * Tells whether a line is of an order that never left: it failed on the day on which it was held, so that its lines
     * add up to zero, or that day runs and the order may still fail. Such a line is in no file, whenever that is written.
     */
    isUnsent: ({ type, status, created_at, held_at, released_at }: OfxLine) => {
      if (!UNSENT_TYPES.includes(type)) return false
      if (status === 'PENDING') return dayOf(new Date(created_at)) === dayOf(at)
      return (
        held_at !== null && released_at !== null && dayOf(new Date(held_at)) === dayOf(new Date(released_at))
      )
    },

    line: (line: ShownLedgerLine) =>
      `<STMTTRN>${element('TRNTYPE', getTransactionType(line))}${element('DTPOSTED', day(line.created_at))}` +
      `${element('TRNAMT', textFromCents(line.movement_type === 'OUT' ? -line.value : line.value))}` +
      `${element('FITID', line.line_uuid)}` +
      `${line.counterparty?.name ? element('NAME', limit(line.counterparty.name, 32)) : ''}` +
      `${element('MEMO', limit(describeLine(line), 255))}</STMTTRN>\r\n`,

    endStatement: ({ balanceCents, asOf }: { balanceCents: number; asOf: Date }) =>
      `</BANKTRANLIST>\r\n<LEDGERBAL>${element('BALAMT', textFromCents(balanceCents))}` +
      `${element('DTASOF', day(asOf))}</LEDGERBAL></STMTRS></STMTTRNRS>\r\n`,

    end: () => '</BANKMSGSRSV1>\r\n</OFX>\r\n',
  }
}

type OfxPeriod = { timeZone: string; at: Date; days: DayRange | undefined }

/**
 * Opens statements as an OFX file, which is written as its reader takes it. `at`: the moment of the file, after which nothing of the
 * days is known. The balance of a statement is the sum of what is written, whenever its lines are booked.
 */
export function openOfxFile(statements: OpenedStatement[], { timeZone, at, days }: OfxPeriod): Readable {
  const write = createOfxWriter({ timeZone, at })
  const lastSecond = days?.$lt && new Date(days.$lt.getTime() - SECOND)
  const to = lastSecond && lastSecond < at ? lastSecond : at
  async function* text() {
    yield write.begin()
    for (const { opening, lines } of statements) {
      let balanceCents = opening.opening_cents
      let nextLine = await lines.next()
      yield write.beginStatement({
        provider: { uuid: opening.connection_uuid, provider: opening.provider },
        virtualAccount: opening.virtual_account,
        from: days?.$gte ?? (nextLine.done ? to : new Date(nextLine.value.created_at)),
        to,
      })
      for (; !nextLine.done; nextLine = await lines.next()) {
        if (write.isUnsent(nextLine.value)) continue
        balanceCents += nextLine.value.cents
        yield write.line(showLedgerLine(nextLine.value))
      }
      yield write.endStatement({ balanceCents, asOf: to })
    }
    yield write.end()
  }
  return Readable.from(text(), { objectMode: false })
}

/** What decides whether a line is written. */
type OfxLine = Pick<LedgerLine, 'type' | 'status' | 'created_at' | 'held_at' | 'released_at'>

/** Types whose lines of one order add up to zero when it fails. */
const UNSENT_TYPES: LedgerLine['type'][] = [
  'EXTERNAL_TRANSFER',
  'EXTERNAL_REFUND',
  'REVERSAL',
  'SPLIT',
  'FEE',
]

function getTransactionType({ type, movement_type, reason }: ShownLedgerLine): string {
  if (type === 'FEE' || reason === 'provider_tariff') return 'FEE'
  if (reason === 'opening_balance' && type === 'ADJUSTMENT') return 'OTHER'
  return movement_type === 'IN' ? 'CREDIT' : 'DEBIT'
}

const LINE_NAMES = {
  EXTERNAL_TRANSFER: { IN: 'Pix recebido', OUT: 'Pix enviado' },
  EXTERNAL_REFUND: { IN: 'Devolucao recebida', OUT: 'Devolucao enviada' },
  SPLIT: { IN: 'Divisao recebida', OUT: 'Divisao paga' },
  FEE: { IN: 'Tarifa estornada', OUT: 'Tarifa' },
  HOLD: { IN: 'Reserva liberada', OUT: 'Reserva de saldo' },
  REVERSAL: { IN: 'Estorno de Pix nao enviado', OUT: 'Estorno desfeito' },
  SHORTFALL: { IN: 'Adiantamento de saldo', OUT: 'Reposicao de adiantamento' },
  ADJUSTMENT: { IN: 'Ajuste', OUT: 'Ajuste' },
} as const satisfies Record<ShownLedgerLine['type'], object>

/** Names of lines that are no PIX, by the reason of their movement. */
const REASON_NAMES: Partial<Record<MovementReason, string>> = {
  opening_balance: 'Saldo inicial',
  provider_tariff: 'Tarifa do provedor',
  provider_withdrawal: 'Retirada no provedor',
  provider_credit: 'Credito do provedor',
  provider_block: 'Bloqueio no provedor',
  provider_unblock: 'Desbloqueio no provedor',
}

/** Describes a line in Portuguese, in which Brazil's accounts are kept. */
function describeLine(line: ShownLedgerLine): string {
  const { type, movement_type, reason, counterparty, external_ref, end_to_end } = line
  const isEntry = type === 'ADJUSTMENT' || type === 'HOLD'
  const name = (isEntry && reason && REASON_NAMES[reason]) || LINE_NAMES[type][movement_type]
  return [name, counterparty?.document, external_ref, end_to_end].filter(text => text).join(' - ')
}

/** Writes an element of SGML. */
function element(name: string, text: string): string {
  return `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</${name}>`
}

/** Limits a text to ASCII without control characters, and to what OFX gives its element. */
function limit(text: string, length: number): string {
  const ascii = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
  return ascii.trim().slice(0, length) || '-'
}
