/**
 * Why the rail (SPI) rejects a movement, and who could still make it. A rejection reported as final always means that
 * no money moved; the class only says whether asking elsewhere makes sense.
 * Codes: pacs.002 XSD 1.17; meanings: the SPI catalogue as Woovi publishes it. Reasons of returns (pacs.004) are in return-nature.ts;
 * those that reject a recurrence of Pix Automático (AP13, AP14, AP15) reject no movement, and are no rail codes here.
 */
export type RailCode = {
  meaning: string
  /** `return_only`: appears on returns alone, which no other provider can send. */
  fallback: 'other_may_help' | 'final' | 'return_only'
}

const otherMayHelp = (meaning: string): RailCode => ({ meaning, fallback: 'other_may_help' })
const final = (meaning: string): RailCode => ({ meaning, fallback: 'final' })
const returnOnly = (meaning: string): RailCode => ({ meaning, fallback: 'return_only' })

export const RAIL_CODES: Record<string, RailCode> = {
  AB03: otherMayHelp('settlement aborted: the rail timed out'),
  AB09: final("error at the receiver's provider"),
  AB11: otherMayHelp("timeout of the payer's provider"),
  AC03: final("the receiver's branch or account does not exist"),
  AC06: final("the receiver's account is blocked"),
  AC07: final("the receiver's account is closed"),
  AC14: final("the receiver's account is of another type"),
  AG03: final('this kind of transaction is not supported on that account'),
  AG12: otherMayHelp('both sides are at the same provider, which the rail does not carry'),
  AG13: returnOnly('a return cannot be returned'),
  AGNT: otherMayHelp("the direct participant does not settle for the payer's provider"),
  AM01: final('the amount is zero'),
  AM02: final('above the limit of the credited account'),
  AM04: otherMayHelp("the payer's provider lacks funds at the central bank"),
  AM09: returnOnly('the return exceeds the original amount'),
  AM12: otherMayHelp('the parts of the amount do not fit'),
  AM18: otherMayHelp('the number of transactions is invalid'),
  AM23: otherMayHelp('above the settlement limit'),
  BE01: final("the document is not the account holder's"),
  BE05: otherMayHelp('the initiator is not registered'),
  BE15: final('the reconciliation id is not the one expected'),
  BE17: final('the receiver refused the QR code'),
  CH11: final("the receiver's document is wrong"),
  CH16: otherMayHelp('the content of the message is malformed'),
  CN01: final('concerns a mandate: Pix Automático, withdrawal or change'),
  DS02: final('not described where the rail publishes its codes'),
  DS04: final("refused by the receiver's provider"),
  DS0G: otherMayHelp('the signer is not allowed to send this'),
  DS27: otherMayHelp('a participant is not active on the rail'),
  DT02: otherMayHelp('the creation time is invalid'),
  DT05: returnOnly('the time to return it is over'),
  DU03: final('duplicate: that receiver already got this reference'),
  DUPL: final('duplicate: that receiver already got this payment'),
  ED05: otherMayHelp('settlement failed'),
  FF07: otherMayHelp('the purpose is malformed'),
  FF08: otherMayHelp('the end-to-end id is malformed'),
  FRAD: final('suspected fraud'),
  INDT: final('not described where the rail publishes its codes'),
  MD01: final('concerns a mandate: Pix Automático, withdrawal or change'),
  RC09: otherMayHelp("the payer's provider is not a valid participant"),
  RC10: final("the receiver's provider is not a valid participant"),
  RR04: final('stopped for compliance'),
  RR06: final('not described where the rail publishes its codes'),
  SL02: returnOnly('the return is not of a withdrawal or change'),
  UPAY: final('concerns a mandate: Pix Automático, withdrawal or change'),
}

/** Whether another provider may carry out what the rail rejected. An unknown code is final: no other provider is tried. */
export function finalityOf(code: string): 'other_may_help' | 'final' {
  if (!isRailCode(code)) return 'final'
  return RAIL_CODES[code]?.fallback === 'other_may_help' ? 'other_may_help' : 'final'
}

export function isRailCode(code: string): boolean {
  return Object.hasOwn(RAIL_CODES, code)
}

/** Finds the first code of the rail among the texts of a provider; undefined where none is one. */
export function findRailCode(...texts: (string | null | undefined)[]): string | undefined {
  return texts.find(text => typeof text === 'string' && isRailCode(text)) ?? undefined
}
