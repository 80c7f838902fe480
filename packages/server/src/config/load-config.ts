/** From flags, environment and file to a Config, or to one error that lists everything that is wrong. */
import { type Config, toConfig } from './config.ts'
import { type ConfigProblem, ConfigProblems } from './config-problems.ts'
import { findKeyProblems } from './key-config.ts'
import { type ConfigInput, type Resolved, type ResolvedSettings, resolveSettings } from './resolve-settings.ts'
import { SETTING_NAMES, type SettingName, type SettingValues, settingOf } from './settings.ts'

export function loadConfig(input: ConfigInput): Config {
  const resolved = resolveSettings(input)
  const problems = [...resolved.problems, ...findContradictions(resolved)]
  if (problems.length > 0) throw new ConfigProblems(problems)
  // Without problems every setting has a value, in the chains or at the top.
  return toConfig(
    resolved.values as SettingValues,
    resolved.chains.map(({ values }) => values as SettingValues),
  )
}

/** Values that are right by themselves and wrong together. */
export function findContradictions({ values, chains }: ResolvedSettings): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const { leaseDuration, leaseRenewInterval, headerWindow, stuckHook, stuckHookSecret } = values
  if (stuckHook != null && /^https?:/i.test(stuckHook) && stuckHookSecret == null)
    problems.push({
      place: 'stuckHookSecret',
      message: 'is required if stuckHook is a URL, so that the receiver can verify requests',
    })
  if (leaseRenewInterval !== undefined && leaseDuration !== undefined && leaseRenewInterval * 2 > leaseDuration)
    problems.push({
      place: 'leaseRenewInterval',
      message: 'must be at most half of leaseDuration, so that one failed renewal does not lose the leases',
    })
  problems.push(...findKeyProblems(values))
  const known = new Set<number>()
  for (const { values: chain } of chains) {
    const { finality, chainId } = chain
    if (finality?.type === 'confirmations' && headerWindow !== undefined && finality.count >= headerWindow)
      problems.push({
        place: 'headerWindow',
        message: `must be more than the ${finality.count} confirmations that finality needs`,
      })
    const hasFloor = chain.minGasPrice != null || chain.minPriorityFee != null
    if (chain.gasPrice != null && hasFloor)
      problems.push({
        place: 'gasPrice',
        message: 'fixes the price, so minGasPrice and minPriorityFee cannot be set too',
      })
    const readable = chain.rpcUrl?.filter((url) => url.startsWith('http')).length
    if (chain.rpcWeights?.length && readable !== undefined && chain.rpcWeights.length !== readable)
      problems.push({
        place: 'rpcWeights',
        message: `must have one number for each http(s) URL in rpcUrl (${readable})`,
      })
    if (chain.gasPrice != null && chain.gasOracleUrl != null)
      problems.push({ place: 'gasPrice', message: 'fixes the price, so gasOracleUrl cannot be set too' })
    if (chains.length > 1 && chainId === null)
      problems.push({ place: 'chainId', message: 'is required for each chain if there are several' })
    if (typeof chainId === 'number' && known.has(chainId))
      problems.push({ place: 'chainId', message: `must be different for each chain; ${chainId} is a duplicate` })
    if (typeof chainId === 'number') known.add(chainId)
  }
  return problems
}

/** Every string in these settings that must not reach a log, an error or a screen. */
export function secretsOf(resolved: Pick<ResolvedSettings, 'values' | 'chains'>): readonly string[] {
  const all: readonly Pick<Resolved, 'values'>[] = [resolved, ...resolved.chains]
  return [...new Set(all.flatMap(({ values }) => SETTING_NAMES.flatMap((name) => secretsIn(values, name))))]
}

function secretsIn(values: Partial<SettingValues>, name: SettingName): readonly string[] {
  const value: unknown = values[name]
  return value === undefined ? [] : (settingOf(name).secrets?.(value) ?? [])
}
