import { undocumentedAnswersProveNothing } from './invariants/answers.ts'
import { booksHold } from './invariants/books.ts'
import { disputesHold } from './invariants/disputes.ts'
import { everythingIsTold } from './invariants/events.ts'
import { everyLifeIsOver } from './invariants/lives.ts'
import { everyRequestIsOneOperation } from './invariants/requests.ts'
import { sharesHold } from './invariants/shares.ts'
import { statementAgrees } from './invariants/statement.ts'
import type { Violation, World } from './world.ts'

/** Everything that must hold when a storm is over. Pure: it takes what was found and answers what is wrong with it. */
export function violationsOf(world: World): Violation[] {
  return RULES.flatMap(rule => rule(world))
}

const RULES = [
  statementAgrees,
  booksHold,
  everyLifeIsOver,
  everyRequestIsOneOperation,
  everythingIsTold,
  sharesHold,
  disputesHold,
  undocumentedAnswersProveNothing,
] satisfies ((world: World) => Violation[])[]
