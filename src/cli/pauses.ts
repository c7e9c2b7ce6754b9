import { type Command, Option } from 'commander'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { OperatorAct } from '../db/entities/operator-act.ts'
import { Pause } from '../db/entities/pause.ts'
import type { EntityManager } from '../db/orm.ts'
import { beginPause, endPause, type PauseTarget } from '../db/pauses.ts'
import { acts, type By, count, type Desk, there, uuid } from './tools.ts'

/** Stopping what is new, letting it begin again, and what operators did. */
export function pauseCommands(trilho: Command, { withTools, print }: Desk): void {
  const pause = trilho
    .command('pause')
    .description('let nothing new begin: 503 `paused`; what runs is still asked')
  for (const [name, kind] of Object.entries(TARGETS))
    targeted(acts(pause.command(name)), kind)
      .addOption(
        new Option(
          '--reach <reach>',
          'money-out: transfers, refunds and returns; everything: also charges and keys',
        )
          .choices(['money-out', 'everything'])
          .default('everything'),
      )
      .action((...given: unknown[]) =>
        withTools(async ({ em }) => {
          const { by: who, reason, reach, target } = ordered<{ reach: string }>(kind, given)
          await mustExist(em, target)
          await beginPause(em, {
            target,
            reach: reach === 'money-out' ? 'money_out' : 'everything',
            who,
            reason,
          })
        }),
      )

  pause
    .command('list')
    .description('list the pauses that stand')
    .action(() =>
      withTools(async ({ em }) => {
        for (const one of await em.findAll(Pause, { orderBy: { createdAt: 'asc' } }))
          print({
            of: nameOf(one),
            reach: one.reach,
            reason: one.reason,
            who: one.who,
            since: one.createdAt,
          })
      }),
    )

  const resume = trilho.command('resume').description('end a pause')
  for (const [name, kind] of Object.entries(TARGETS))
    targeted(acts(resume.command(name)), kind).action((...given: unknown[]) =>
      withTools(async ({ em }) => {
        const { by: who, reason, target } = ordered(kind, given)
        if (!(await endPause(em, { target, who, reason }))) throw new Error('no such pause stands')
      }),
    )

  trilho
    .command('acts')
    .description('what operators did and why, the latest first')
    .option('--subject <subject>', 'of one thing only, as it is written there')
    .option('--limit <number>', 'how many at most', count, 100)
    .action(({ subject, limit }: { subject?: string; limit: number }) =>
      withTools(async ({ em }) => {
        const found = await em.find(OperatorAct, subject ? { subject } : {}, {
          orderBy: { at: 'desc', uuid: 'desc' },
          limit,
        })
        for (const { at, who, act, subject: of, reason } of found)
          print({ at, who, act, subject: of, reason })
      }),
    )
}

type Kind = 'all' | 'account' | 'connection'
const TARGETS: Record<string, Kind> = { all: 'all', account: 'account', connection: 'connection' }

function targeted(command: Command, kind: Kind): Command {
  return kind === 'all'
    ? command.description('the whole service')
    : command.argument(`<${kind}>`, 'its uuid', uuid).description(`one ${kind}`)
}

/** What commander hands over: the arguments, the options, the command. */
function ordered<More = object>(kind: Kind, given: unknown[]): By & More & { target: PauseTarget } {
  const [named, options] = kind === 'all' ? [undefined, given[0]] : given
  return { ...(options as By & More), target: targetOf(kind, named as string) }
}

function targetOf(kind: Kind, named: string): PauseTarget {
  switch (kind) {
    case 'all':
      return 'all'
    case 'account':
      return { accountUuid: named }
    case 'connection':
      return { connectionUuid: named }
  }
}

async function mustExist(em: EntityManager, target: PauseTarget): Promise<void> {
  if (target === 'all') return
  if ('accountUuid' in target)
    there(await em.findOne(Account, target.accountUuid), `account ${target.accountUuid}`)
  else there(await em.findOne(Connection, target.connectionUuid), `connection ${target.connectionUuid}`)
}

function nameOf({ accountUuid, connectionUuid }: Pause): string {
  if (connectionUuid) return `connection/${connectionUuid}`
  return accountUuid ? `account/${accountUuid}` : 'all'
}
