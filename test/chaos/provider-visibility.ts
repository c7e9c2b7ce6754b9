import type { StatementLine } from '../../packages/simulator/control/client.ts'
import { showEndToEndId } from '../../src/domain/pix/identifiers.ts'
import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import type { Participants } from './participants.ts'

/** What an API shows its callers and does for them, as far as participants of a storm must know. */
type ApiVisibility = {
  /** Returns of sent PIX by their recipients are shown; where they are not, only the balance differs. */
  showsReturns: boolean
  /** End-to-end ids are reported; where they are not, merchants are shown none, and the simulator's statement has them. */
  showsEndToEnd: boolean
  /** A charge without a due date can be cancelled, as one with a due date everywhere; where it cannot, it can be paid until it expires. */
  cancelsCharges: boolean
  /**
   * The parts of a payment of a charge with a due date are reported. Where they are not, at every account of an API or at some, a PIX is
   * compared with what is due on the day on which it settles.
   */
  reportsDueParts: 'of each PIX' | 'of the first PIX' | 'never'
}

export const API_VISIBILITIES: Record<ProviderApi, ApiVisibility> = {
  efi: { showsReturns: true, showsEndToEnd: true, cancelsCharges: true, reportsDueParts: 'never' },
  woovi: { showsReturns: true, showsEndToEnd: true, cancelsCharges: true, reportsDueParts: 'never' },
  sicoob: { showsReturns: false, showsEndToEnd: true, cancelsCharges: true, reportsDueParts: 'of each PIX' },
  inter: { showsReturns: false, showsEndToEnd: true, cancelsCharges: true, reportsDueParts: 'of each PIX' },
  stark: {
    showsReturns: true,
    showsEndToEnd: false,
    cancelsCharges: false,
    reportsDueParts: 'of the first PIX',
  },
}

/** The id by which a provider's statement has a PIX of ours: that of the rail where our name of it ends with it, as of a payment of an invoice. */
export function findStatementId(endToEnd: string): string
export function findStatementId(endToEnd: string | null): string | null
export function findStatementId(endToEnd: string | null): string | null {
  return showEndToEndId(endToEnd) || endToEnd
}

/** A statement's lines at the participants' accounts: those that an API shows, and those that none does. */
export type VisibleLines = { shown: StatementLine[]; hidden: StatementLine[] }

/** Splits the simulator's statement by what the API of each line's account shows; lines of other accounts are left out. */
export function splitByVisibility(lines: StatementLine[], { merchants }: Participants): VisibleLines {
  const apis = new Map(merchants.flatMap(one => one.connections).map(({ account, api }) => [account, api]))
  const ours = lines.filter(({ account }) => apis.has(account))
  const isHidden = ({ kind, account }: StatementLine) =>
    kind === 'return' && !API_VISIBILITIES[apis.get(account)!].showsReturns
  return { shown: ours.filter(line => !isHidden(line)), hidden: ours.filter(isHidden) }
}
