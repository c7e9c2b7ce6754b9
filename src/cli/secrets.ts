import type { Command } from 'commander'
import { reseal } from '../admin/secrets.ts'
import { acts, type By, type Desk, done } from './tools.ts'

/** The rotation of TRILHO_SECRET_KEY: a new key before the old one, this command, then the old one goes. */
export function secretCommands(trilho: Command, { withTools, print }: Desk): void {
  acts(trilho.command('reseal'))
    .description('seal every stored secret anew under the first key of TRILHO_SECRET_KEY')
    .addHelpText(
      'after',
      '\nAn older key may go once no secret is left unopened and every life that began under it is over.',
    )
    .action((by: By) =>
      withTools(async tools => {
        const { keyId } = tools.seal
        const told = await done(tools, by, {
          act: 'reseal',
          subject: `key/${keyId}`,
          work: em => reseal(em, tools.seal),
        })
        told.forEach(print)
        const unopened = told.reduce((sum, one) => sum + one.unopened, 0)
        print({ key_id: keyId, unopened })
        if (unopened > 0) process.exitCode = 1
      }),
    )
}
