// >>> remora >>> written by `remora install opencode`; `remora uninstall opencode` takes it out
// Tells Remora what happens in a session and adds what Remora says to the system prompt. Each event is one
// short process, `remora hook --host opencode`, one after another, with {event, directory, input, output} on
// stdin and {context, message} on stdout. Only where something can be said is it waited for. Whatever goes
// wrong, nothing is said.
import { spawn } from "node:child_process"

const COMMAND = ["remora"]
const LIMIT_MS = 3500
const LONGEST = 100000 // characters of one text; what is longer keeps both ends

const cut = (value) => {
  if (typeof value === "string") {
    if (value.length <= 2 * LONGEST) return value
    return value.slice(0, LONGEST) + "\n[...]\n" + value.slice(-LONGEST)
  }
  if (Array.isArray(value)) return value.map(cut)
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part)]))
  }
  return value
}

const ask = (payload, cwd) =>
  new Promise((resolve) => {
    let done = false
    let heard = ""
    let child
    const finish = (said) => {
      if (done) return
      done = true
      clearTimeout(timer)
      resolve(said && typeof said === "object" ? said : {})
    }
    const timer = setTimeout(() => {
      finish()
      try {
        child.kill("SIGKILL")
      } catch {}
    }, LIMIT_MS)
    try {
      child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", "--host", "opencode"], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      child.on("error", () => finish())
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (heard += piece))
      child.on("close", () => {
        try {
          finish(JSON.parse(heard))
        } catch {
          finish()
        }
      })
      child.stdin.end(JSON.stringify(cut(payload)))
    } catch {
      finish()
    }
  })

export const Remora = async ({ client, directory, worktree }) => {
  const cwd = directory || worktree
  const starts = new Map() // what is said at the start of a session, for every request
  const notes = new Map() // what was said since the last prompt
  let queue = Promise.resolve()
  const tell = (event, input, output) => {
    const told = queue.then(() => ask({ event, directory: cwd, input, output }, cwd))
    queue = told.then(async ({ message }) => {
      try {
        if (message) await client.tui.showToast({ body: { message, variant: "info" } })
      } catch {}
    })
    return told.then(({ context }) => (typeof context === "string" ? context : ""))
  }
  const start = (info) => {
    if (!starts.has(info.id)) starts.set(info.id, tell("session.created", { info }))
    return starts.get(info.id)
  }
  const quietly = async (work) => {
    try {
      await work()
    } catch {}
  }
  return {
    event: ({ event }) =>
      quietly(async () => {
        const facts = event?.properties ?? {}
        if (event?.type === "session.created") await start(facts.info)
        if (event?.type === "session.compacted") await tell(event.type, facts)
        if (event?.type === "session.idle") await tell(event.type, facts)
        if (event?.type === "session.deleted") {
          starts.delete(facts.info.id)
          notes.delete(facts.info.id)
          await tell(event.type, facts)
        }
      }),
    "chat.message": (input, output) =>
      quietly(async () => {
        await start({ id: input.sessionID })
        const parts = (output?.parts ?? []).filter((part) => part.type === "text")
        notes.set(input.sessionID, await tell("chat.message", input, { message: { id: output?.message?.id }, parts }))
      }),
    "tool.execute.before": (input, output) =>
      quietly(() => void tell("tool.execute.before", input, { args: output?.args })),
    "tool.execute.after": (input, output) =>
      quietly(() => {
        const { title, metadata } = output ?? {}
        void tell("tool.execute.after", input, { title, output: output?.output, metadata })
      }),
    "experimental.text.complete": (input, output) =>
      quietly(() => void tell("experimental.text.complete", input, { text: output?.text })),
    "experimental.chat.system.transform": (input, output) =>
      quietly(async () => {
        if (!input?.sessionID) return
        const said = [await start({ id: input.sessionID }), notes.get(input.sessionID)]
        for (const text of said) if (text) output.system.push(text)
      }),
    "experimental.session.compacting": (input, output) =>
      quietly(async () => {
        const text = await tell("experimental.session.compacting", input, {})
        if (text) output.context.push(text)
      }),
  }
}
// <<< remora <<<
