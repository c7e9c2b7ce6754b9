import type { Command } from 'commander'
import { rebuildLives } from '../engine/rebuild.ts'
import { acts, type By, type Desk, pastMoment, withEngine } from './tools.ts'

/** After a restored backup. */
export function rebuildCommands(trilho: Command, { withTools, print }: Desk): void {
  acts(trilho.command('rebuild'))
    .description(
      'after restoring a backup: rebuild what Temporal knows and the database does not, from what providers say; nothing is sent',
    )
    .requiredOption(
      '--since <moment>',
      'that the restored rows had reached, or earlier; ISO 8601',
      pastMoment,
    )
    .action(({ since, by: who, reason }: By & { since: Date }) =>
      withTools(({ em, config }) =>
        withEngine(config, async engine => {
          const counts: Record<string, number> = { rebuilt: 0, under_way: 0, impossible: 0 }
          for await (const rebuilt of rebuildLives(engine, em, { since, who, reason })) {
            print(rebuilt)
            counts[rebuilt.outcome] = (counts[rebuilt.outcome] ?? 0) + 1
          }
          print(counts)
          if (counts.impossible) process.exitCode = 1
        }),
      ),
    )
}
