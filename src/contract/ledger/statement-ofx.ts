import { textFromCents } from '../../domain/ledger/money.ts'
import type { Party } from '../../domain/providers/provider.ts'
import { createLocalClock } from '../shared/local-clock.ts'
import type { ShownLedgerLine } from './ledger-line.ts'

/**
 * The statement as OFX 1.02 (SGML), which Brazil's accounting software imports: every element is closed, and texts are
 * ASCII, because readers differ in how they take the encoding of the header.
 */

const HEADER = [
  ...['OFXHEADER:100', 'DATA:OFXSGML', 'VERSION:102', 'SECURITY:NONE', 'ENCODING:USASCII', 'CHARSET:1252'],
  ...['COMPRESSION:NONE', 'OLDFILEUID:NONE', 'NEWFILEUID:NONE'],
]

/** The statement of one provider account. */
export type OfxStatement = {
  provider: ShownLedgerLine['provider']
  virtualAccount: Party | null
  from: Date
  to: Date
}

/** Creates the functions that write the parts of a file, in the order in which a file has them. */
export function createOfxWriter({ timeZone, at }: { timeZone: string; at: Date }) {
  const clock = createLocalClock(timeZone)
  const time = (moment: Date) => {
    const { text, offsetMinutes } = clock(moment)
    return `${text.replaceAll(/\D/g, '')}[${offsetMinutes / 60}:GMT]`
  }
  const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>'
  return {
    begin: () =>
      `${HEADER.join('\r\n')}\r\n\r\n<OFX>\r\n<SIGNONMSGSRSV1><SONRS>${status}${element('DTSERVER', time(at))}` +
      `${element('LANGUAGE', 'POR')}</SONRS></SIGNONMSGSRSV1>\r\n<BANKMSGSRSV1>\r\n`,

    beginStatement: ({ provider, virtualAccount, from, to }: OfxStatement) =>
      `<STMTTRNRS>${element('TRNUID', provider.uuid)}${status}<STMTRS>${element('CURDEF', 'BRL')}\r\n` +
      `<BANKACCTFROM>${element('BANKID', limit(virtualAccount?.bank.code || virtualAccount?.bank.ispb || '000', 9))}` +
      `${virtualAccount?.account_agency ? element('BRANCHID', limit(virtualAccount.account_agency, 22)) : ''}` +
      `${element('ACCTID', limit(virtualAccount?.account_number || provider.uuid.replaceAll('-', ''), 22))}` +
      `${element('ACCTTYPE', 'CHECKING')}</BANKACCTFROM>\r\n` +
      `<BANKTRANLIST>${element('DTSTART', time(from))}${element('DTEND', time(to))}\r\n`,

    line: (line: ShownLedgerLine) =>
      `<STMTTRN>${element('TRNTYPE', getTransactionType(line))}${element('DTPOSTED', time(line.created_at))}` +
      `${element('TRNAMT', textFromCents(line.movement_type === 'OUT' ? -line.value : line.value))}` +
      `${element('FITID', line.line_uuid)}` +
      `${line.counterparty?.name ? element('NAME', limit(line.counterparty.name, 32)) : ''}` +
      `${element('MEMO', limit(describeLine(line), 255))}</STMTTRN>\r\n`,

    endStatement: ({ balanceCents, asOf }: { balanceCents: number; asOf: Date }) =>
      `</BANKTRANLIST>\r\n<LEDGERBAL>${element('BALAMT', textFromCents(balanceCents))}` +
      `${element('DTASOF', time(asOf))}</LEDGERBAL></STMTRS></STMTTRNRS>\r\n`,

    end: () => '</BANKMSGSRSV1>\r\n</OFX>\r\n',
  }
}

function getTransactionType({ type, movement_type }: ShownLedgerLine): string {
  if (type === 'FEE') return 'FEE'
  return movement_type === 'IN' ? 'CREDIT' : 'DEBIT'
}

const LINE_NAMES = {
  EXTERNAL_TRANSFER: { IN: 'Pix recebido', OUT: 'Pix enviado' },
  EXTERNAL_REFUND: { IN: 'Devolucao recebida', OUT: 'Devolucao enviada' },
  SPLIT: { IN: 'Divisao recebida', OUT: 'Divisao paga' },
  FEE: { IN: 'Tarifa estornada', OUT: 'Tarifa' },
  HOLD: { IN: 'Reserva liberada', OUT: 'Reserva de saldo' },
  DEPOSIT: { IN: 'Credito', OUT: 'Debito' },
  ADJUSTMENT: { IN: 'Ajuste', OUT: 'Ajuste' },
} as const satisfies Record<ShownLedgerLine['type'], object>

/** Describes a line in Portuguese, in which Brazil's accounts are kept. */
function describeLine(line: ShownLedgerLine): string {
  const { type, movement_type, status, counterparty, external_ref, end_to_end } = line
  const name =
    status === 'FAILED' && movement_type === 'IN'
      ? 'Liberacao de Pix nao enviado'
      : LINE_NAMES[type][movement_type]
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
