/**
 * The page API of Muriel's script, for TypeScript.
 *
 * `window.muriel` may be used before the script has loaded: make it an array and push calls; the script runs them in order.
 *
 *     const muriel = (window.muriel ??= [] as unknown as Muriel.Page);
 *     muriel.push(["track", "signed-up", { plan: "pro" }]);
 *
 * No call throws. Calls that cannot be carried out have no effect.
 */
declare namespace Muriel {
  type Plain = string | number | boolean;

  /** An arm by its name: `Control`, `Variant 1`, `Variant 2`… */
  type Variant = "Control" | `Variant ${number}`;

  /** With `value` and `currency`, an event is an order, which counts for revenue goals of its name. */
  interface Properties {
    /** Finite; negative for a refund. Text is parsed if the project has a revenue goal: `"1,299.00"`, `"59,90"`. */
    value?: number | string;
    /** ISO 4217, such as `EUR`. */
    currency?: string;
    /**
     * An order counts once, however often it is sent. A refund has the id of its order, or names that order in `refund_of`.
     * Placeholders that a template did not fill, such as `undefined` and `{{order.id}}`, do not count as ids.
     */
    order_id?: string;
    /** The `order_id` of the refunded order. Only with a negative `value`: the server refuses it otherwise. */
    refund_of?: string;
    /** Number of items bought. */
    quantity?: number;
    /** At most 100 properties. */
    [name: string]: Plain | undefined;
  }

  interface Attributes {
    /** Names of audiences that the visitor belongs to, for rules about audiences. */
    audiences?: string[];
    /** Attributes for segment rules: at most 100, with 8,000 characters in total. Other lists and objects are ignored. */
    [name: string]: Plain | string[] | undefined;
  }

  interface Experiment {
    test_id: number;
    experiment_key: string;
    variant: Variant;
  }

  interface Events {
    /** The visitor is exposed to an arm on this page. */
    exposure: Experiment;
    /**
     * Code or a change of an arm failed, or the destination of its redirect sent the visitor back; in a preview, also a
     * selector without a match. With `event`: the server refused this event, it could not be sent, or it is an order that
     * cannot be read; the error then belongs to no experiment.
     */
    error: Partial<Experiment> & { message: string; event?: { type: string; name?: string; [field: string]: unknown } };
  }

  type Call =
    | ["track", name: string, properties?: Properties]
    | ["trigger", identifier: string]
    | ["identify", user: string | null, attributes?: Attributes]
    | ["consent", granted: boolean | "granted" | "denied"]
    | { [K in keyof Events]: ["on", event: K, listener: (told: Events[K]) => void] }[keyof Events];

  interface Page {
    push<K extends keyof Events>(call: ["on", event: K, listener: (told: Events[K]) => void]): void;
    /** Makes calls, in order. Only this form also works before the script has loaded. */
    push(...calls: Call[]): void;
    /** Records an event of this name, 1 to 128 characters. */
    track(name: string, properties?: Properties): void;
    /** Fires the `script` goal with this identifier. */
    trigger(identifier: string): void;
    /**
     * Sets the user's id, or removes it with null, and adds attributes. Rules use them at once and for the rest of the
     * visit.
     */
    identify(user: string | null, attributes?: Attributes): void;
    /** Sets the visitor's consent to being recorded. A denial erases the stored data. */
    consent(granted: boolean | "granted" | "denied"): void;
    /** The arm to which the visitor was exposed on this page, by the experiment's key; null for none. */
    variant(experiment_key: string): Variant | null;
    /** Calls the listener for earlier events, and for all further ones. */
    on<K extends keyof Events>(event: K, listener: (told: Events[K]) => void): void;
  }

  /** The variable `experiment` in the code of an experiment and its variants. */
  interface Code extends Experiment {
    /** Calls back once with the first match of the selector, now or later, unless the arm is removed before. */
    waitFor(selector: string, found: (element: Element) => void): void;
    /** Runs when the arm is removed: the visitor goes to a page without it, or the experiment ends. */
    onCleanup(undo: () => void): void;
    track: Page["track"];
  }
}

interface Window {
  muriel: Muriel.Page;
}
