/** What is true of a noun; each is a list of nouns that some part of the service works through. */
type Trait =
  /** Has a workflow of its own. */
  | 'workflow'
  /** A merchant orders it by a POST that its workflow carries out. */
  | 'ordered'
  /** Carries money: compared with the histories of its workflow after a restored backup. */
  | 'money'
  /** Sends money: an operator can settle its unknown outcome. */
  | 'payout'
  /** Has rows in states that only its workflow ends; a lost workflow is reopened from its row. */
  | 'unfinished'
  /** Is polled, or read from the history of its workflow, once a restored backup has its money. */
  | 'dependent'
  /** Has a list in the API with a filter by state. */
  | 'listed'
  /** Has counters of its rows, by account and state. */
  | 'counted'
  /** Is found by the search of the dashboard: has rows of its own in `search_entry`. */
  | 'searched'

/**
 * The nouns of the service. Every narrower list of nouns derives from this table: a new noun is entered here, and the
 * compiler then names each place that needs an entry for it.
 */
const NOUNS = {
  charge: ['workflow', 'ordered', 'money', 'unfinished', 'listed', 'counted', 'searched'],
  transfer: ['workflow', 'ordered', 'money', 'payout', 'unfinished', 'listed', 'counted', 'searched'],
  transfer_batch: ['workflow', 'unfinished'],
  refund: ['workflow', 'ordered', 'money', 'payout', 'unfinished', 'listed', 'counted'],
  return: ['workflow', 'money', 'payout', 'unfinished'],
  recurrence: ['workflow', 'ordered', 'unfinished', 'dependent', 'listed', 'counted', 'searched'],
  dispute: ['workflow', 'ordered', 'unfinished', 'dependent', 'listed', 'searched'],
  pix_key: ['workflow', 'ordered', 'unfinished', 'dependent'],
  pix_key_removal: ['workflow', 'dependent'],
  auth_code: ['workflow', 'ordered'],
  report: ['workflow', 'ordered', 'unfinished'],
  orphan: ['workflow', 'unfinished'],
  deposit: ['workflow'],
  unmatched: ['searched'],
  deposit_return: ['workflow', 'ordered'],
  keep_unmatched: ['workflow'],
  password_reset: ['workflow'],
  delivery: ['workflow', 'dependent', 'counted'],
  event_replay: ['workflow'],
  event: ['counted'],
  posting: ['counted'],
} as const satisfies Record<string, readonly Trait[]>

type Noun = keyof typeof NOUNS
type NounWith<One extends Trait> = {
  [Name in Noun]: One extends (typeof NOUNS)[Name][number] ? Name : never
}[Noun]

function listNounsWith<One extends Trait>(trait: One): NounWith<One>[] {
  const names = Object.keys(NOUNS) as Noun[]
  return names.filter((name): name is NounWith<One> => (NOUNS[name] as readonly Trait[]).includes(trait))
}

export type WorkflowNoun = NounWith<'workflow'>
export type OrderedNoun = NounWith<'ordered'>
export type MoneyNoun = NounWith<'money'>
/** Money that a merchant orders; a return is ordered by the policy of the account, or by an operator. */
export type OrderedMoneyNoun = MoneyNoun & OrderedNoun
export type PayoutNoun = NounWith<'payout'>
export type UnfinishedNoun = NounWith<'unfinished'>
export type ListedNoun = NounWith<'listed'>
export type CountedNoun = NounWith<'counted'>
export type SearchedNoun = NounWith<'searched'>

export const WORKFLOW_NOUNS = listNounsWith('workflow')
export const MONEY_NOUNS = listNounsWith('money')
export const PAYOUT_NOUNS = listNounsWith('payout')
export const UNFINISHED_NOUNS = listNounsWith('unfinished')
export const SEARCHED_NOUNS = listNounsWith('searched')
export const DEPENDENT_NOUNS = listNounsWith('dependent')
