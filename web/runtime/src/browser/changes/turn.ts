import { now } from "../world";

let calls = 0;
let since = 0;

let channel: MessageChannel | undefined;
const Channel = MessageChannel;

/** A port on which a message comes when the task is over. */
function port(): MessagePort {
  if (!channel) {
    channel = new Channel();
    channel.port1.onmessage = () => {
      calls = 0;
    };
  }
  return channel.port2;
}

/**
 * Called by customers' code in each turn of a loop.
 *
 * Throws once a task has gone on for half a second since it first called this: a loop without end must not take the page with it. The clock
 * is read every 256 calls. A message starts anew, for timers are slow in hidden pages.
 */
export function turn(): void {
  if (!calls++) {
    since = now();
    port().postMessage(0);
  } else if (!(calls % 256) && now() - since > 500) {
    calls--;
    throw Error("loop");
  }
}
