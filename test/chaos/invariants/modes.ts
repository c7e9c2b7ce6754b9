import type { FinalState, Mode, Violation } from '../final-state.ts'
import { violationIf } from './violations.ts'

/** SPEC §9: test and live money never meet: no centavo crosses modes, or is available or shown in the other. */
export function checkModes(world: FinalState): Violation[] {
  return [
    ...findMovementsInOtherMode(world),
    ...findAnswersOfOtherMode(world),
    ...findStatementsOfOtherMode(world),
    ...findDeliveriesInOtherMode(world),
    ...world.readableInOtherMode.map(uuid => ({
      rule: 'readable_in_other_mode',
      where: uuid,
      detail: 'a token of the other mode reads it',
    })),
  ]
}

/** What an operation attempted, moved or claims is at provider accounts of its own mode. */
function findMovementsInOtherMode(world: FinalState): Violation[] {
  const { charges, transfers, refunds, disputes, attempts, movements } = world
  const modeOf = createModeFinder(world)
  const modes = new Map<string, Mode>(
    [...charges, ...transfers, ...disputes].map(({ uuid, mode }) => [uuid, mode]),
  )
  for (const { uuid, charge } of refunds) modes.set(uuid, modes.get(charge)!)
  const places = [
    ...attempts.map(({ uuid, subject, providerAccount }) => ({
      what: `attempt ${uuid}`,
      subject,
      providerAccount,
    })),
    ...movements.flatMap(({ uuid, charge, transfer, refund, med, providerAccount }) =>
      [charge, transfer, refund, med].flatMap(subject =>
        subject === null ? [] : [{ what: `movement ${uuid}`, subject, providerAccount }],
      ),
    ),
    ...disputes.map(({ uuid, providerAccount }) => ({
      what: `dispute ${uuid}`,
      subject: uuid,
      providerAccount,
    })),
  ]
  return places.flatMap(({ what, subject, providerAccount }) => {
    const [expected, mode] = [modes.get(subject), modeOf(providerAccount)]
    return violationIf(
      expected !== undefined && mode !== expected,
      'moved_in_other_mode',
      what,
      `${subject} is ${expected}, ${providerAccount} is ${mode}`,
    )
  })
}

/** A token creates operations of its own mode. */
function findAnswersOfOtherMode({
  requests,
  charges,
  transfers,
  batches,
  disputes,
}: FinalState): Violation[] {
  const modes = new Map(
    [...charges, ...transfers, ...batches, ...disputes].map(({ uuid, mode }) => [uuid, mode]),
  )
  return requests.flatMap(({ kind, place, mode, answers }) =>
    answers.flatMap(({ uuid }) => {
      const made = uuid === null ? undefined : modes.get(uuid)
      return violationIf(
        made !== undefined && made !== mode,
        'created_in_other_mode',
        `${kind} ${uuid}`,
        `the ${mode} token at ${place} was answered one that is ${made}`,
      )
    }),
  )
}

/** A statement has lines of provider accounts of its mode only, so that its balances are no money of the other. */
function findStatementsOfOtherMode(world: FinalState): Violation[] {
  const modeOf = createModeFinder(world)
  return world.statements.flatMap(({ account, mode, rows }) =>
    rows.flatMap(({ providerAccount, operation, cents }) =>
      violationIf(
        modeOf(providerAccount) !== mode,
        'shown_in_other_mode',
        `${mode} statement of ${account}`,
        `${cents} of ${operation} at ${providerAccount}`,
      ),
    ),
  )
}

function findDeliveriesInOtherMode({ endpoints, events, deliveries }: FinalState): Violation[] {
  const modes = new Map(endpoints.map(({ inbox, mode }) => [inbox, mode]))
  const sent = new Map(events.map(({ uuid, mode }) => [uuid, mode]))
  return deliveries.flatMap(({ uuid, event, inbox }) => {
    const [expected, mode] = [sent.get(event), modes.get(inbox)]
    return violationIf(
      expected !== undefined && expected !== mode,
      'announced_in_other_mode',
      `delivery ${uuid}`,
      `the event is ${expected}, ${inbox} is ${mode}`,
    )
  })
}

function createModeFinder({ holdings }: FinalState): (providerAccount: string) => Mode | undefined {
  const modes = new Map(holdings.map(({ providerAccount, mode }) => [providerAccount, mode]))
  return providerAccount => modes.get(providerAccount)
}
