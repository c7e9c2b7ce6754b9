import { countByName } from '../count-by-name.ts'
import type { FinalState, MovementRow, ProviderStatementLine, Violation } from '../final-state.ts'

export const INCOMING_KINDS: ReadonlySet<ProviderStatementLine['kind']> = new Set([
  'payment',
  'deposit',
  'return',
])
/** Our movements that the rail does not know: money that stays at its provider account, or existed before us. */
const INTERNAL_TYPES = new Set(['SPLIT', 'FEE', 'HOLD', 'ADJUSTMENT'])

/** Every line of the rail's statement is one of our movements exactly once, and the reverse; nothing was sent twice. */
export function checkProviderStatement({ lines, movements }: FinalState): Violation[] {
  const settled = movements.filter(one => one.status === 'SETTLED' && !INTERNAL_TYPES.has(one.type))
  const ours = Map.groupBy(settled, movementKeyOf)
  const theirs = Map.groupBy(
    lines.filter(line => line.endToEnd !== null),
    lineKeyOf,
  )
  return [
    ...[...theirs].flatMap(([line, same]) =>
      ours.has(line)
        ? []
        : violationOf('statement_line_unknown', line, `${same[0]!.kind} ${same[0]!.id ?? ''}`),
    ),
    ...[...ours].flatMap(([line, same]) =>
      theirs.has(line)
        ? []
        : violationOf('movement_never_settled', line, `movement ${same.map(one => one.uuid)}`),
    ),
    ...[...ours].flatMap(([line, same]) =>
      same.length > 1 ? violationOf('movement_booked_twice', line, `${same.map(one => one.uuid)}`) : [],
    ),
    ...findEntryDifferences(movements, lines),
    ...findDoublePayments(lines),
    ...findDoubleMovements(settled),
    ...findDoubleCredits(settled),
    ...findExcessReturns(settled, lines),
  ]
}

/** How we post movements that are not a PIX and that no operation of ours made. */
const ENTRY_REASONS: Partial<Record<ProviderStatementLine['kind'], string>> = {
  tariff: 'provider_tariff',
  withdrawal: 'provider_withdrawal',
  credit: 'provider_credit',
}

/** A movement that is not a PIX is posted as often as it happened. */
function findEntryDifferences(movements: MovementRow[], lines: ProviderStatementLine[]): Violation[] {
  const theirs = lines
    .filter(line => line.endToEnd === null)
    .map(({ providerAccount, kind, cents }) => `${providerAccount} ${ENTRY_REASONS[kind]} ${cents}`)
  const reasons = new Set(Object.values(ENTRY_REASONS))
  const ours = movements
    .filter(({ reason, status }) => status === 'SETTLED' && reason !== null && reasons.has(reason))
    .map(({ providerAccount, reason, cents }) => `${providerAccount} ${reason} ${cents}`)
  const [moved, booked] = [countByName(theirs), countByName(ours)]
  return [...new Set([...theirs, ...ours])].flatMap(entry =>
    moved[entry] === booked[entry]
      ? []
      : violationOf('entries_differ', entry, `moved ${moved[entry] ?? 0}, booked ${booked[entry] ?? 0}`),
  )
}

/** One PIX is received once: as the payment of a charge, as a deposit or as a return. */
function findDoubleCredits(settled: MovementRow[]): Violation[] {
  const credits = settled.filter(one => one.direction === 'IN' && one.endToEnd !== null)
  return [...Map.groupBy(credits, one => `${one.providerAccount} ${one.endToEnd}`)].flatMap(([pix, same]) =>
    same.length > 1 ? violationOf('credited_twice', pix, `${same.map(one => one.uuid)}`) : [],
  )
}

/** A transfer has no more returns than the rail recorded, whatever ids its provider gives them. */
function findExcessReturns(settled: MovementRow[], lines: ProviderStatementLine[]): Violation[] {
  const back = lines.filter(line => line.kind === 'return')
  const theirs = Map.groupBy(back, ({ providerAccount, original }) => `${providerAccount} ${original}`)
  const ours = settled.filter(
    one => one.transfer !== null && one.direction === 'IN' && one.type === 'EXTERNAL_REFUND',
  )
  return [...Map.groupBy(ours, one => one.transfer)].flatMap(([transfer, returns]) => {
    const sent = settled.find(one => one.transfer === transfer && one.direction === 'OUT')
    const most = theirs.get(`${sent?.providerAccount} ${sent?.endToEnd}`)?.length ?? 0
    return returns.length > most
      ? violationOf('return_credited_twice', `transfer ${transfer}`, `${returns.length} booked, ${most} came`)
      : []
  })
}

/** The id we send is the same at every provider: two lines with it are one operation paid twice. */
function findDoublePayments(lines: ProviderStatementLine[]): Violation[] {
  const sent = lines.filter(line => line.id !== null && (line.kind === 'transfer' || line.kind === 'refund'))
  return [...Map.groupBy(sent, line => `${line.kind} ${line.id}`)].flatMap(([which, same]) =>
    same.length > 1
      ? violationOf(
          'paid_twice',
          which,
          same.map(line => `${line.providerAccount} ${line.endToEnd}`).join(', '),
        )
      : [],
  )
}

/** A charge was paid, a transfer or refund sent, an unmatched PIX returned by one movement at most. */
function findDoubleMovements(settled: MovementRow[]): Violation[] {
  const subjects = settled.flatMap((one): [string, MovementRow][] => {
    if (one.refund) return [[`refund ${one.refund}`, one]]
    if (one.transfer && one.direction === 'OUT') return [[`transfer ${one.transfer}`, one]]
    if (one.type === 'EXTERNAL_REFUND' && one.direction === 'OUT' && one.original)
      return [[`return ${one.original}`, one]]
    if (one.charge && one.direction === 'IN' && one.reason === null) return [[`charge ${one.charge}`, one]]
    return []
  })
  return [...Map.groupBy(subjects, ([subject]) => subject)].flatMap(([subject, same]) =>
    same.length > 1 ? violationOf('moved_twice', subject, `${same.map(([, one]) => one.uuid)}`) : [],
  )
}

function movementKeyOf({ providerAccount, direction, endToEnd, cents }: MovementRow): string {
  return `${providerAccount} ${direction} ${endToEnd} ${cents}`
}

function lineKeyOf({ providerAccount, kind, endToEnd, cents }: ProviderStatementLine): string {
  return `${providerAccount} ${INCOMING_KINDS.has(kind) ? 'IN' : 'OUT'} ${endToEnd} ${cents}`
}

function violationOf(rule: string, where: string, detail: string): Violation[] {
  return [{ rule, where, detail }]
}
