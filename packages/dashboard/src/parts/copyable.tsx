/** A long name, shown short, with a button that copies all of it. */
import { useEffect, useState } from 'preact/hooks'
import { announce } from './announcer.tsx'
import { copyText } from './copy-text.ts'
import { CheckIcon, CopyIcon, CrossIcon } from './icons.tsx'

interface CopyableProps {
  readonly text: string
  readonly shown: string
  /** What it is, e.g. "address", for the button's name. */
  readonly what: string
  readonly href?: string
}

export function Copyable({ text, shown, what, href }: CopyableProps) {
  return (
    <span class="copyable">
      {href === undefined ? (
        <span class="mono" title={text}>
          {shown}
        </span>
      ) : (
        <a class="mono" href={href} title={text}>
          {shown}
        </a>
      )}
      <CopyButton text={text} what={what} />
    </span>
  )
}

function CopyButton({ text, what }: Pick<CopyableProps, 'text' | 'what'>) {
  const [result, setResult] = useState<'none' | 'copied' | 'refused'>('none')
  useEffect(() => {
    if (result === 'none') return
    const timer = setTimeout(() => setResult('none'), 1_500)
    return () => clearTimeout(timer)
  }, [result])

  async function copy(): Promise<void> {
    const isCopied = await copyText(text)
    setResult(isCopied ? 'copied' : 'refused')
    announce(isCopied ? `Copied the ${what}` : `The browser could not copy the ${what}`)
  }

  return (
    <button type="button" class={`copy-button is-${result}`} onClick={copy} title={`Copy the ${what}`}>
      {result === 'none' && <CopyIcon />}
      {result === 'copied' && <CheckIcon />}
      {result === 'refused' && <CrossIcon />}
      <span class="sr-only">Copy the {what}</span>
    </button>
  )
}
