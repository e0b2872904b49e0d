// Angular without a build step: templates are compiled in the page. Rows are tracked by index.

import "@angular/compiler";
import { Component, provideZonelessChangeDetection, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();

const App = Component({
  selector: "#app",
  template: `<h1>{{ title(state()) }}</h1>
    @if (state().view === "list") {
      <p><button id="sort" (click)="store.sort()">Sort</button> <button id="filter" (click)="store.filter()">In stock</button>
        <button id="add" (click)="store.add()">Add</button> <a id="go" href="/about" (click)="store.go($event)">About</a></p>
      <p id="count">{{ counted(state()) }}</p>
      <ul id="list">
        @for (each of goods(state()); track $index) {
          <li [attr.data-sku]="each.sku">
            <img [src]="picture(each)" alt="" width="40" height="40"> <span class="name">{{ each.name }}</span>
            <b class="price">{{ cost(each) }}</b> <button class="buy">Buy</button>
          </li>
        }
      </ul>
    } @else {
      <p id="about">We have sold tools since spring.</p>
    }`,
})(
  class {
    state = signal(store.get());
    store = store;
    cost = cost;
    counted = counted;
    goods = goods;
    picture = picture;
    title = title;

    constructor() {
      store.subscribe((next) => this.state.set(next));
    }
  },
);

void bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
