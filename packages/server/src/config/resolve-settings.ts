/**
 * Finds the value of every setting: flags before environment before file before default. A layer is one place where
 * values can be given; each chain in the file is a layer of its own, between the environment and the rest of the file.
 */
import { createRedactor } from '../telemetry/redactor.ts'
import type { ConfigProblem } from './config-problems.ts'
import { fileLayers, placeOf, unknownFileKeys } from './file-layers.ts'
import type { Environment, Layer, Source } from './layer.ts'
import {
  CHAIN_SETTING_NAMES,
  environmentVariableOf,
  flagOf,
  isRequired,
  isSecret,
  SETTING_NAMES,
  type SettingName,
  type SettingValues,
  settingOf,
} from './settings.ts'
import { unknownVariables } from './unknown-variables.ts'

export interface ConfigFile {
  /** Null: no file; a program gave the content. */
  readonly path: string | null
  readonly content: unknown
}

export interface ConfigInput {
  readonly env: Environment
  /** By setting name. A program may give any setting here; the command line offers none for secrets. */
  readonly flags: Readonly<Partial<Record<SettingName, unknown>>>
  readonly file: ConfigFile | null
  /** Settings that must have a value; all that have no default, unless said otherwise. */
  readonly required?: readonly SettingName[]
}

export interface Resolved {
  readonly values: Partial<SettingValues>
  readonly sources: Readonly<Partial<Record<SettingName, Source>>>
}

export interface ResolvedSettings extends Resolved {
  /** One for each entry of `chains` in the file; else one from the settings at the top. */
  readonly chains: readonly Resolved[]
  readonly problems: readonly ConfigProblem[]
}

export function resolveSettings(input: ConfigInput): ResolvedSettings {
  const problems: ConfigProblem[] = [...unknownVariables(input.env)]
  const where = placeOf(input.file ?? { path: '' })
  if (input.file !== null) problems.push(...unknownFileKeys(input.file.content, where))
  const required = new Set(input.required ?? SETTING_NAMES.filter(isRequired))
  const outer: readonly Layer[] = [flagLayer(input), environmentLayer(input.env)]
  const { top, chains: entries } = fileLayers(input.file?.content, where)
  const hasEntries = entries.length > 0
  const resolve = (names: readonly SettingName[], layers: readonly Layer[], prefix = ''): Resolved =>
    resolveLayers(names, layers, {
      onProblem: (problem) => problems.push(problem),
      onMissing: (name) => required.has(name) && problems.push(missing(name, prefix, where)),
    })

  const shared = hasEntries ? SETTING_NAMES.filter((name) => !CHAIN_SETTING_NAMES.includes(name)) : SETTING_NAMES
  if (entries.length > 1) problems.push(...valuesForManyChains(outer, top))
  const resolved = resolve(shared, [...outer, top])
  const chains = hasEntries
    ? entries.map((entry, index) => resolve(CHAIN_SETTING_NAMES, [...outer, entry, top], `chains[${index}].`))
    : [resolved]
  return { ...resolved, chains, problems }
}

function resolveLayers(
  names: readonly SettingName[],
  layers: readonly Layer[],
  report: { onProblem(problem: ConfigProblem): void; onMissing(name: SettingName): void },
): Resolved {
  const values: Partial<Record<SettingName, unknown>> = {}
  const sources: Partial<Record<SettingName, Source>> = {}
  for (const name of names) {
    const layer = layers.find((candidate) => candidate.find(name) !== undefined)
    const setting = settingOf(name)
    if (layer === undefined) {
      if (isRequired(name)) report.onMissing(name)
      else {
        values[name] = setting.fallback
        sources[name] = 'default'
      }
      continue
    }
    const parsed = setting.type.parse(layer.find(name))
    sources[name] = layer.source
    if (parsed.ok) values[name] = parsed.value
    else report.onProblem({ place: layer.place(name), message: parsed.problem + quoteInput(name, layer.find(name)) })
  }
  // Each value was read by the type of its own row, which is what SettingValues says.
  return { values: values as Partial<SettingValues>, sources }
}

function missing(name: SettingName, prefix: string, where: string): ConfigProblem {
  if (prefix !== '' || where === '') return { place: `${prefix}${name}${where}`, message: 'is required' }
  const flag = flagOf(name)
  const ways = [`set ${environmentVariableOf(name)}`, ...(flag === null ? [] : [`pass ${flag}`])]
  return { place: name, message: `is required: ${ways.join(', ')}, or add "${name}" to the configuration file` }
}

/** A secret is not repeated, and neither is what is so long that it may be one in the wrong place. */
function quoteInput(name: SettingName, input: unknown): string {
  if (isSecret(name)) return ''
  if (typeof input !== 'string' && typeof input !== 'number' && typeof input !== 'boolean') return ''
  const shown = createRedactor([]).redact(String(input))
  return shown.length > 40 ? '' : `, not ${JSON.stringify(shown)}`
}

/** One chain's entry without them would get those of another chain. */
const NOT_SHARED: readonly SettingName[] = ['rpcWeights', 'rpcSendUrl', 'gasOracleUrl']

/** With several chains these cannot be one value for all of them. */
function valuesForManyChains(outer: readonly Layer[], top: Layer): readonly ConfigProblem[] {
  const own: readonly SettingName[] = ['rpcUrl', 'rpcWeights', 'rpcSendUrl', 'gasOracleUrl', 'chainId']
  return [...outer, top].flatMap((layer) =>
    own
      // In the file, each chain's own entry comes first.
      .filter((name) => layer.find(name) !== undefined && (layer !== top || NOT_SHARED.includes(name)))
      .map((name) => ({
        place: layer.place(name),
        message: 'cannot be used with several chains; set it for each chain under "chains" in the configuration file',
      })),
  )
}

function flagLayer(input: ConfigInput): Layer {
  return { source: 'flag', find: (name) => input.flags[name], place: (name) => flagOf(name) ?? name }
}

function environmentLayer(env: Environment): Layer {
  return {
    source: 'environment',
    // Compose files and shells pass on unset variables as empty ones.
    find: (name) => env[environmentVariableOf(name)]?.trim() || undefined,
    place: environmentVariableOf,
  }
}
