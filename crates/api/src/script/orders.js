(function(PART){"use strict";(()=>{var e=t=>{};PART=e;})();return PART})()
