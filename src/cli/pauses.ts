import { Option } from 'commander'
import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { OperatorAction } from '../db/entities/operator-action.ts'
import { Pause } from '../db/entities/pause.ts'
import { endPause, type PauseTarget, startPause } from '../db/repositories/pauses.ts'
import {
  type ActorOptions,
  addActorOptions,
  type OperatorCommand,
  parseCount,
  parseUuid,
  requireFound,
} from './command-context.ts'

export function registerPauseCommands(trilho: OperatorCommand) {
  const pause = trilho
    .command('pause')
    .description('refuse new operations by 503 `paused`; running operations continue')
  for (const kind of PAUSE_TARGETS)
    addTargetArgument(addActorOptions(pause.command(kind)), kind)
      .addOption(
        new Option(
          '--reach <reach>',
          'money-out: transfers, refunds and returns; everything: also charges and keys',
        )
          .choices(['money-out', 'everything'])
          .default('everything'),
      )
      .run(async ({ em }, ...commanderArgs: unknown[]) => {
        const { by: actor, reason, reach, target } = parsePauseOptions<{ reach: string }>(kind, commanderArgs)
        await requireTarget(em, target)
        await startPause(em, {
          target,
          reach: reach === 'money-out' ? 'money_out' : 'everything',
          actor,
          reason,
        })
      })

  pause
    .command('list')
    .description('list the pauses in effect')
    .run(async ({ em, print }) => {
      for (const one of await em.findAll(Pause, { orderBy: { createdAt: 'asc' } }))
        print({
          of: formatPauseTarget(one),
          reach: one.reach,
          reason: one.reason,
          actor: one.actor,
          since: one.createdAt,
        })
    })

  const resume = trilho.command('resume').description('end a pause')
  for (const kind of PAUSE_TARGETS)
    addTargetArgument(addActorOptions(resume.command(kind)), kind).run(
      async ({ em }, ...commanderArgs: unknown[]) => {
        const { by: actor, reason, target } = parsePauseOptions(kind, commanderArgs)
        if (!(await endPause(em, { target, actor, reason }))) throw new Error('no such pause is in effect')
      },
    )

  trilho
    .command('acts')
    .description('list the operator actions and their reasons, the latest first')
    .option('--subject <subject>', 'only the actions on this subject, as printed')
    .option('--limit <number>', 'maximum number of actions', parseCount, 100)
    .run(async ({ em, print }, { subject, limit }: { subject?: string; limit: number }) => {
      const found = await em.find(OperatorAction, subject ? { subject } : {}, {
        orderBy: { at: 'desc', uuid: 'desc' },
        limit,
      })
      for (const { at, actor, action, subject: of, reason } of found)
        print({ at, actor, action, subject: of, reason })
    })
}

const PAUSE_TARGETS = ['all', 'account', 'connection'] as const
type PauseTargetKind = (typeof PAUSE_TARGETS)[number]

function addTargetArgument(command: OperatorCommand, kind: PauseTargetKind): OperatorCommand {
  return kind === 'all'
    ? command.description('the whole service')
    : command.argument(`<${kind}>`, `${kind} UUID`, parseUuid).description(`one ${kind}`)
}

/** Parses the arguments of commander: arguments, options, command. */
function parsePauseOptions<More = object>(
  kind: PauseTargetKind,
  commanderArgs: unknown[],
): ActorOptions & More & { target: PauseTarget } {
  const [uuid, options] = kind === 'all' ? [undefined, commanderArgs[0]] : commanderArgs
  return { ...(options as ActorOptions & More), target: toPauseTarget(kind, uuid as string) }
}

function toPauseTarget(kind: PauseTargetKind, uuid: string): PauseTarget {
  switch (kind) {
    case 'all':
      return 'all'
    case 'account':
      return { accountUuid: uuid }
    case 'connection':
      return { connectionUuid: uuid }
  }
}

async function requireTarget(em: EntityManager, target: PauseTarget): Promise<void> {
  if (target === 'all') return
  if ('accountUuid' in target)
    requireFound(await em.findOne(Account, target.accountUuid), `account ${target.accountUuid}`)
  else
    requireFound(await em.findOne(Connection, target.connectionUuid), `connection ${target.connectionUuid}`)
}

function formatPauseTarget({ accountUuid, connectionUuid }: Pause): string {
  if (connectionUuid) return `connection/${connectionUuid}`
  return accountUuid ? `account/${accountUuid}` : 'all'
}
