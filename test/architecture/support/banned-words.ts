import type { TextKind } from './source-text.ts'

/**
 * Words of the first version that a reader of Temporal, payments or PostgreSQL does not know, or that have several
 * meanings. `says` is the field's word. `kinds`: where the word is banned; everywhere by default. `public`: in names that
 * clients and operators read, such as routes, fields, error codes and metrics. `allowed`: exact names and phrases in which
 * the word has its technical sense.
 */
export type BannedWord = {
  word: RegExp
  says: string
  why: string
  kinds?: (TextKind | 'public')[]
  allowed?: RegExp[]
}

const METAPHOR = 'a metaphor hides the mechanism'
const PERSON = 'an actor of the system has a name'
const AMBIGUOUS = 'the word has several meanings'

const BANNED_WORDS: BannedWord[] = [
  {
    word: /\b(life|lives)\b/g,
    says: 'workflow, or state machine',
    why: METAPHOR,
    allowed: [/\bproof of life\b/g],
  },
  { word: /\b(told|untold)\b/g, says: 'signalled, notified, reported or polled', why: AMBIGUOUS },
  {
    word: /\btells?\b/g,
    says: 'signal, notify, report, show',
    why: AMBIGUOUS,
    allowed: [/\btells? (whether|why)\b/g, /\btells? [\w ]+ apart\b/g, /\b(can|cannot) tell\b/g],
  },
  { word: /\b(un)?hear(d|s|ing)?\b/g, says: 'receive, read', why: METAPHOR },
  { word: /\bst(ands?|ood|anding)\b(?! still)/g, says: 'is, is stored, represents', why: METAPHOR },
  { word: /\bdoors?\b/g, says: 'client call, router', why: METAPHOR },
  { word: /\bknock(s|ed|ing)?\b/g, says: 'send a request', why: METAPHOR },
  { word: /\bh[au]ngs? up\b/g, says: 'close the connection', why: METAPHOR },
  { word: /\b(onward|unsaid|barred)\b/g, says: 'next, queued, blocked', why: AMBIGUOUS },
  { word: /\bdoubts?\b/g, says: 'unknown outcome', why: AMBIGUOUS },
  { word: /\bfates?\b/g, says: 'outcome', why: METAPHOR },
  { word: /\b(wish|wishes|mends?|mended|mending)\b/g, says: 'request; correct, repair', why: METAPHOR },
  { word: /\b(who|whom)so?ever\b|\bwhoever\b/g, says: 'the API, the worker, the operator, …', why: PERSON },
  {
    word: /\b(no|some|any|every)body\b/g,
    says: 'no provider, another session, every process, …',
    why: PERSON,
  },
  { word: /\bbeside\b/g, says: 'next to, concurrently, in addition to', why: AMBIGUOUS },
  { word: /\b(tallies|tallied)\b/g, says: 'list counters', why: 'one concept has one word' },
  { word: /\bhouses?\b/g, says: 'dashboard, architecture', why: METAPHOR },
  { word: /\b(deeds?|desks?|thrift)\b/g, says: 'action; environment; memory flags', why: METAPHOR },
  {
    word: /\b(provider|operator|bank|payer|its|their)('s|’s)? words?\b|\bwords? of (a|an|the) (provider|operator)\b|\bwithout a word\b|\bwaits? for a word\b/g,
    says: 'outcome, settlement, response',
    why: METAPHOR,
  },
  {
    word: /\bnotices?\b/g,
    says: 'provider notification',
    why: AMBIGUOUS,
    allowed: [/\b(to|also|operators) notices?\b/g],
  },
  {
    word: /\btaken\b/g,
    says: 'accepted, processed, stored, in use',
    why: AMBIGUOUS,
    allowed: [/\btaken (from|back)\b/g],
  },
  { word: /\bbegun\b/g, says: 'started', why: 'one concept has one word', kinds: ['public'] },
  { word: /\bverification[ -]codes?\b/g, says: 'auth code', why: 'one concept has one word' },
  { word: /\b(try|tries)\b/g, says: 'attempt', why: 'one concept has one word', kinds: ['public'] },
]

/** Finds the banned words of a text: an identifier is split at its humps and underscores. */
export function findBannedWords(kind: TextKind | 'public', text: string): BannedWord[] {
  return BANNED_WORDS.filter(({ word, kinds, allowed = [] }) => {
    if (kinds && !kinds.includes(kind)) return false
    const rest = allowed.reduce(
      (left, phrase) => left.replaceAll(phrase, ' '),
      splitNames(text).toLowerCase(),
    )
    return rest.search(word) >= 0
  })
}

/** Splits camel case and snake case into words, so that `isToldTwice` and `told_at` contain `told`. */
function splitNames(text: string): string {
  return text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
}
